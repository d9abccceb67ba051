-- Runs beside servers of the version before: yes

-- The default text promised that someone would look into it, and nobody was called. Texts of one's own stay.
update campaigns
set settings = jsonb_set(settings, '{fallbackText}', to_jsonb(
    'I do not have an answer to that yet. Could you put it another way? To talk to a person, write "person".'::text
  )), version = version + 1
where settings ->> 'fallbackText' =
  'Thank you for your message. I do not have an answer to that yet; someone will look into it.';

-- The last answer of the bot in each conversation, by its key: twice the number of the message, and one more where it left
-- the question unanswered. Quarters that were counted before have none, and their days stay as they were.
alter table report_quarters
  add column answer_keys bigint[] not null default '{}',
  add column answer_marks bigint[] not null default '{}';
-- Null: all answers of the account are counted so.
alter table report_accounts add column misses_since timestamptz;
update report_accounts set misses_since = answers_to where answers_to > '-infinity';

-- As it was written; `question` is what it is compared by.
alter table unanswered add column asked text;
-- When they asked it last; null: before this was kept.
alter table unanswered_askers add column last_at timestamptz;
