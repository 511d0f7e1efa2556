-- A row of the event log has up to 16 consecutive events of one tenant and type, so that an import of thousands of
-- contract-days writes hundreds of rows. `data` is the JSON array of their data, and `sequence` is that of the last one.
-- Each row reserves 16 sequences: events are numbered without a common lock, and the ranges of rows do not overlap.
update event set data = json_build_array(data);
alter table event alter column sequence set increment by 16;
select setval('event_sequence_seq', 16, false) from event_sequence_seq where not is_called;
