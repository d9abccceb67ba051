-- Runs beside servers of the version before: yes
--
-- How many contacts are on each list: counting 100,000 of them took as long as everything else of the page together. A list
-- has several rows, whose sum counts, so that connections which add to one list rarely wait for each other. Without a
-- foreign key: taking a contact off a list that is just being deleted must not fail.
create table list_counts (
  account_id text collate "C" not null,
  list_id text collate "C" not null,
  slot integer not null,
  contacts bigint not null,
  primary key (account_id, list_id, slot)
);

create function count_list_members() returns trigger language plpgsql as $$
begin
  insert into list_counts as k (account_id, list_id, slot, contacts)
  select m.account_id, m.list_id, pg_backend_pid() % 64, case tg_op when 'INSERT' then count(*) else -count(*) end
  from changed m join lists l on l.account_id = m.account_id and l.id = m.list_id
  group by m.account_id, m.list_id
  order by m.account_id, m.list_id
  on conflict (account_id, list_id, slot) do update set contacts = k.contacts + excluded.contacts;
  return null;
end
$$;
create trigger list_members_added after insert on list_members
  referencing new table as changed for each statement execute function count_list_members();
create trigger list_members_removed after delete on list_members
  referencing old table as changed for each statement execute function count_list_members();

insert into list_counts (account_id, list_id, slot, contacts)
select account_id, list_id, 0, count(*) from list_members group by account_id, list_id;
