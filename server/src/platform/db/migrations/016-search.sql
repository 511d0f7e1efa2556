-- Lists are searched by a part of a name, reference or EIC. The text to search is a generated column, so no statement
-- that writes a record has to maintain it. Its parts are separated by line feeds, which names cannot contain.

-- Folds case without the locale of the database: ASCII letters with the collation "C", others by this list of Latin,
-- Greek and Cyrillic letters. ß equals ss, as in upper case.
create function search_fold(value text) returns text
language sql immutable strict parallel safe as $$
  select replace(translate(lower(normalize(value, nfkc) collate "C"),
    'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĴĶĹĻĽŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽẞ'
    'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΆΈΉΊΌΎΏЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ',
    'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĵķĺļľłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžß'
    'αβγδεζηθικλμνξοπρστυφχψωάέήίόύώѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя'), 'ß', 'ss')
$$;

-- An index of trigrams finds any part of a text. The extension pg_trgm is neither in the embedded PostgreSQL nor
-- installable on every server, so the trigrams are lexemes of a text search vector, whose index is built in. Every
-- position of a text starts a lexeme, shorter ones at its end, so that one or two characters are a prefix of lexemes.
create function search_trigrams(value text) returns tsvector
language sql immutable strict parallel safe as $$
  select coalesce(array_to_tsvector(array_agg(substr(part, start, 3))), '')
  from string_to_table(value, E'\n') part, generate_series(1, length(part)) start
$$;

-- The lexemes that a text has if it contains `value`. The other direction does not hold, so the text is compared too.
create function search_query(value text) returns tsquery
language sql immutable strict parallel safe as $$
  select coalesce(string_agg(
    '''' || replace(replace(substr(part, start, 3), '\', '\\'), '''', '''''') || ''''
      || case when length(part) < 3 then ':*' else '' end, ' & '), '')::tsquery
  from string_to_table(value, E'\n') part, generate_series(1, greatest(length(part) - 2, least(length(part), 1))) start
$$;

create function metadata_values(metadata jsonb) returns text
language sql immutable strict parallel safe as $$
  select coalesce(string_agg(value, E'\n'), '') from jsonb_each_text(metadata)
$$;

alter table customer drop column search_terms,
  add column search_text text not null
    generated always as (search_fold(name || E'\n' || metadata_values(metadata))) stored;
alter table contract add column search_text text not null
  generated always as (search_fold(external_id || E'\n' || seller_name || E'\n' || seller_eic || E'\n'
    || buyer_name || E'\n' || buyer_eic)) stored;
alter table asset add column search_text text not null generated always as (search_fold(name)) stored;
alter table balance_group add column search_text text not null
  generated always as (search_fold(eic || E'\n' || name)) stored;

-- For the operator, who searches the records of all BRPs. A BRP's search reads its own records by their indexes.
create index customer_search on customer using gin (search_trigrams(search_text));
create index contract_search on contract using gin (search_trigrams(search_text));
create index asset_search on asset using gin (search_trigrams(search_text));
