-- Runs beside servers of the version before: yes
--
-- Links end with whoever made them, and with whom they are for. Those of members who were removed or made members before that
-- was so are still open: whoever was an owner could come back as one.
delete from account_links l
where not exists (select from users u where u.id = l.made_by and u.is_owner)
  or exists (select from users u where u.id = l.user_id and u.removed_at is not null);

-- Whether a user signed in from an address before is read from the audit, so that it is known after they have signed out.
create index audit_events_sign_ins on audit_events (account_id, actor_id, address, at) where act = 'signed in';

-- Keyed hashes of what those were recognized by who were erased while an import was not over: rows of theirs are dropped.
alter table imports add column erased text[] not null default '{}';
