-- The reference that 021 dropped: its column is the primary key, so a deleted nomination is found in the table at once.
-- Anomalies are archived and restored with their nominations.
alter table anomaly add constraint anomaly_nomination_id_fkey foreign key (nomination_id) references nomination;
