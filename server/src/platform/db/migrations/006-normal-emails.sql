-- Emails are now compared in the compatibility form NFKC, in which a ligature is its letters and a wide letter is a plain
-- one. Users whose email is stored in another form sign in with it as before. Where two users would get the same email,
-- both keep theirs.
update app_user u set email = lower(normalize(u.email, NFKC))
where u.email is distinct from lower(normalize(u.email, NFKC))
  and not exists (
    select from app_user other
    where other.id <> u.id and lower(normalize(other.email, NFKC)) = lower(normalize(u.email, NFKC))
  );
