-- Runs beside servers of the version before: yes
--
-- A file is read in turns: `place` is where the next one begins. `attempts` counts turns that have failed, or whose process
-- died, since the last that did not.
-- `country` is where phone numbers without a country code are from.
alter table imports add column place jsonb, add column attempts integer not null default 0, add column country text;

-- Texts without a vector, by account: accounts take turns at being embedded.
create index entry_texts_missing on entry_texts (account_id) where model is null;
