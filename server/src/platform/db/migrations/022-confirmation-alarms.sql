-- Alarms of schedules that are not confirmed, of confirmations of older versions and of rejected status requests.

alter type alarm_kind add value 'confirmation_overdue' before 'disk';
alter type alarm_kind add value 'final_missing' before 'disk';
alter type alarm_kind add value 'older_version_confirmed' before 'disk';
alter type alarm_kind add value 'status_request_rejected' before 'disk';

-- Messages that may cause one of them. Both read few rows, because only recent days are watched.
create index message_unconfirmed on message (delivery_day)
  where direction = 'out' and type = 'schedule' and state = 'acknowledged';
create index message_rejected_request on message (delivery_day)
  where direction = 'out' and type <> 'schedule' and state = 'rejected';
