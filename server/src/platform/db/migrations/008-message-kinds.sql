-- Status requests, transports with receipts, and series that a TSO reports and our schedule lacks.

alter type message_type add value 'status_request';
alter type message_state add value 'delivered' after 'sent';

-- Of an answer: one text per series that names the operator's balance group and is not in the schedule answered.
alter table message add column unknown_series text[] not null default '{}';
