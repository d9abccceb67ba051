-- Runs beside servers of the version before: yes
--
-- Contacts by name, a page at a time: as names are searched, cut, and those without one last. It is written when a contact is
-- made or named. `name-order-store.ts` asks by the same words.
create index contacts_by_name on contacts (
  account_id, (coalesce(nullif(left(btrim(split_part(search_text, chr(10), 1)), 40), ''), chr(1114111))), id
);
