-- Permissions of users and scopes of the operator's keys.

create type user_permissions as enum ('admin', 'member', 'viewer');
-- Users who could change something could change everything.
alter table app_user alter column may_manage type user_permissions
  using (case when may_manage then 'admin' else 'viewer' end)::user_permissions;
alter table app_user rename column may_manage to permissions;

-- The operator's keys had no scopes and could do everything. Keys that have ended keep the record of what they could do.
update api_key set scopes = array['read', 'parties:write', 'market:write', 'contracts:write', 'series:write', 'volumes:write',
  'exchange:write', 'platform:write', 'users:write', 'keys:write', 'webhooks:write', 'requests:read']
where owner = 'operator';
