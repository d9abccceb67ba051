-- Runs beside servers of the version before: no (they would refuse a rule for visitors)
--
-- Strangers write over a website chat. Those of whom nothing is known are not kept for ever; and what somebody has to know of the
-- others is on record, because one process meets them and another one looks at the channel.

alter table retention_rules
  drop constraint retention_rules_kind_check,
  add constraint retention_rules_kind_check check (kind in (
    'messages', 'attachments', 'answers', 'attempts', 'unanswered', 'calls', 'visitors'
  )) not valid;

-- Contacts who are a browser. Nothing in it changes when they write.
create index contact_channels_browsers on contact_channels (account_id, contact_id) where address_kind = 'browser';

-- When very many identities were forged last, and when nearly all visitors were seen at one private address.
alter table chat_pages
  add column forged_at timestamptz,
  add column hidden_at timestamptz;
