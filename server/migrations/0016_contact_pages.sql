-- Runs beside servers of the version before: yes
--
-- Lists are shown with the number of members who opted out: few of many, found without reading the others.
create index contacts_opted_out on contacts (account_id, id) where opted_out_at is not null;

-- Members of a list are shown with those added last on top.
create index list_members_by_time on list_members (account_id, list_id, added_at, contact_id);
