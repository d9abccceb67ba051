-- Runs beside servers of the version before: yes
--
-- Links end with whoever made them.
create index account_links_by_maker on account_links (made_by);
