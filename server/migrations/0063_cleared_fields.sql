-- Runs beside servers of the version before: yes
--
-- How often a field of the contact that a message fills was cleared. A process that remembers which fields are filled compares
-- it in the statement that stores the message, so it is right whoever cleared the field, and wherever. By a trigger, because one
-- writer that forgets to count would leave the field empty for good.
alter table conversations add column clears integer not null default 0;

create function count_cleared_fields() returns trigger language plpgsql as $$
begin
  update conversations set clears = clears + 1 where account_id = new.account_id and contact_id = new.id;
  return null;
end
$$;

create trigger contacts_count_cleared_fields after update of first_name, last_name, email on contacts
for each row when (
  old.first_name is not null and new.first_name is null
  or old.last_name is not null and new.last_name is null
  or old.email is not null and new.email is null
) execute function count_cleared_fields();
