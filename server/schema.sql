-- Made by `npm run generate` from the migrations; compared by a test.

create table account_links (
  account_id text collate "C" not null,
  id text collate "C" not null,
  token_hash bytea not null,
  user_id text collate "C",
  makes_owner boolean not null,
  made_by text collate "C" not null,
  created_at timestamp with time zone not null default now(),
  ends_at timestamp with time zone not null,
  taken_count integer not null default 0,
  UNIQUE (token_hash),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX account_links_by_end ON account_links USING btree (ends_at);
CREATE INDEX account_links_by_maker ON account_links USING btree (made_by);

create table accounts (
  id text collate "C" not null,
  kind text not null,
  agency_id text collate "C",
  rate_limit_per_minute integer,
  created_at timestamp with time zone not null default now(),
  bot_active boolean not null default true,
  name text,
  time_zone text not null default 'UTC'::text,
  agency_link_at timestamp with time zone,
  agency_link_used_at timestamp with time zone,
  taken_since timestamp with time zone,
  taken_count integer not null default 0,
  PRIMARY KEY (id),
  FOREIGN KEY (agency_id) REFERENCES accounts(id),
  CHECK (((kind = 'subaccount'::text) = (agency_id IS NOT NULL))),
  CHECK ((kind = ANY (ARRAY['standard'::text, 'agency'::text, 'subaccount'::text]))),
  CHECK ((rate_limit_per_minute >= 0))
);
CREATE INDEX accounts_by_agency ON accounts USING btree (agency_id, id) WHERE (agency_id IS NOT NULL);

create table alert_settings (
  account_id text collate "C" not null,
  conditions text[] not null default '{waiting,receiver,bot,credits,broadcast,channel}'::text[],
  names_contacts boolean not null default false,
  credits_below bigint,
  PRIMARY KEY (account_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CHECK ((credits_below > 0))
);

create table alert_states (
  account_id text collate "C" not null,
  condition text collate "C" not null,
  subject text collate "C" not null,
  since timestamp with time zone not null,
  told_at timestamp with time zone,
  over_since timestamp with time zone,
  version bigint,
  PRIMARY KEY (account_id, condition, subject),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CHECK ((condition = ANY (ARRAY['waiting'::text, 'conversation'::text, 'receiver'::text, 'bot'::text, 'credits'::text, 'broadcast'::text, 'channel'::text]))) NOT VALID
);

create table answers (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  from_seq bigint not null,
  to_seq bigint not null,
  outcome text not null,
  reason text not null,
  campaign_id text,
  campaign_version integer,
  routing text,
  message_id text collate "C",
  engine text,
  model text,
  sources jsonb not null default '[]'::jsonb,
  input_tokens integer,
  output_tokens integer,
  duration_ms integer,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (account_id, contact_id, from_seq)
);
CREATE INDEX answers_by_age ON answers USING btree (account_id, created_at);
CREATE INDEX answers_said ON answers USING btree (account_id, campaign_id, created_at) WHERE (message_id IS NOT NULL);

create table api_calls (
  account_id text collate "C" not null,
  id bigint not null,
  at timestamp with time zone not null,
  method text not null,
  path text not null,
  status integer not null,
  code text,
  sentence text,
  duration_ms integer not null,
  request_id text not null,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX api_calls_by_age ON api_calls USING btree (account_id, at);

create table api_keys (
  account_id text collate "C" not null,
  key_hash bytea not null,
  created_at timestamp with time zone not null default now(),
  UNIQUE (key_hash),
  PRIMARY KEY (account_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table attachments (
  account_id text collate "C" not null,
  message_id text collate "C" not null,
  content_type text not null,
  url text,
  state text not null,
  media_id text collate "C",
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  reference jsonb,
  file_name text,
  size_bytes bigint,
  PRIMARY KEY (account_id, message_id),
  FOREIGN KEY (account_id, media_id) REFERENCES media(account_id, id),
  FOREIGN KEY (account_id, message_id) REFERENCES messages(account_id, id) ON DELETE CASCADE,
  CHECK (((due_at IS NOT NULL) = (state = 'not fetched yet'::text))),
  CHECK (((lease_token IS NULL) = (leased_until IS NULL))),
  CHECK (((state = 'stored'::text) = (media_id IS NOT NULL))),
  CHECK ((state = ANY (ARRAY['stored'::text, 'not fetched yet'::text, 'unreachable'::text, 'not allowed'::text, 'wrong type'::text, 'too large'::text, 'removed'::text])))
);
CREATE INDEX attachments_by_media ON attachments USING btree (account_id, media_id) WHERE (media_id IS NOT NULL);
CREATE INDEX attachments_due ON attachments USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX attachments_kept ON attachments USING btree (account_id, message_id) WHERE (state <> 'removed'::text);

create table audit_events (
  account_id text collate "C" not null,
  id text collate "C" not null,
  at timestamp with time zone not null default now(),
  act text not null,
  actor_kind text not null,
  actor_id text collate "C",
  actor_name text,
  details jsonb not null default '{}'::jsonb,
  address text,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CHECK ((actor_kind = ANY (ARRAY['user'::text, 'agency'::text, 'key'::text, 'operator'::text, 'nobody'::text])))
);
CREATE INDEX audit_events_by_age ON audit_events USING btree (account_id, at);
CREATE INDEX audit_events_sign_ins ON audit_events USING btree (account_id, actor_id, address, at) WHERE (act = 'signed in'::text);

create table balances (
  account_id text collate "C" not null,
  balance bigint not null default 0,
  held bigint not null default 0,
  version bigint not null default 0,
  recharge_threshold bigint,
  recharge_amount bigint,
  recharge_asked_version bigint,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (account_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  CHECK (((balance >= 0) AND (balance <= '999999999999999'::bigint))),
  CHECK (((held >= 0) AND (held <= balance))),
  CHECK (((recharge_threshold IS NULL) = (recharge_amount IS NULL))),
  CHECK ((recharge_amount > 0)),
  CHECK ((recharge_threshold > 0))
);

create table broadcast_marks (
  account_id text collate "C" not null,
  watched_until timestamp with time zone not null,
  counted_until timestamp with time zone not null default now(),
  looked_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  resent_at timestamp with time zone,
  PRIMARY KEY (account_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table broadcast_recipients (
  account_id text collate "C" not null,
  broadcast_id text collate "C" not null,
  n integer not null,
  contact_id text collate "C",
  state text collate "C" not null default 'waiting'::text,
  reason text,
  message_id text collate "C",
  seq bigint,
  error_category text,
  error_http_status integer,
  made_at timestamp with time zone,
  settled_at timestamp with time zone,
  answered_at timestamp with time zone,
  PRIMARY KEY (account_id, broadcast_id, n),
  FOREIGN KEY (account_id, broadcast_id) REFERENCES broadcasts(account_id, id) ON DELETE CASCADE,
  CHECK (((state = 'left_out'::text) = (reason IS NOT NULL))),
  CHECK (((state = ANY (ARRAY['waiting'::text, 'made'::text, 'taken'::text])) = (settled_at IS NULL))) NOT VALID,
  CHECK ((reason = ANY (ARRAY['opted_out'::text, 'no_id'::text, 'erased'::text, 'no_address'::text, 'id_taken'::text, 'blocked'::text]))) NOT VALID,
  CHECK ((state = ANY (ARRAY['waiting'::text, 'made'::text, 'taken'::text, 'sent'::text, 'failed'::text, 'left_out'::text]))) NOT VALID
);
CREATE INDEX broadcast_recipients_answered ON broadcast_recipients USING btree (account_id, broadcast_id, answered_at) WHERE (answered_at IS NOT NULL);
CREATE INDEX broadcast_recipients_by_age ON broadcast_recipients USING btree (account_id, settled_at) WHERE (settled_at IS NOT NULL);
CREATE INDEX broadcast_recipients_by_state ON broadcast_recipients USING btree (account_id, state, broadcast_id, n);
CREATE INDEX broadcast_recipients_made ON broadcast_recipients USING btree (account_id, broadcast_id, made_at) WHERE (made_at IS NOT NULL);
CREATE UNIQUE INDEX broadcast_recipients_one_by_contact ON broadcast_recipients USING btree (account_id, contact_id, broadcast_id) WHERE (contact_id IS NOT NULL);

create table broadcasts (
  account_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  list_id text collate "C" not null,
  list_name text not null,
  channel text not null,
  campaign_id text collate "C",
  body text not null,
  rate_per_minute integer not null,
  state text not null default 'preparing'::text,
  user_id text collate "C",
  created_at timestamp with time zone not null default now(),
  prepared_after text collate "C" not null default ''::text,
  prepared_at timestamp with time zone,
  resumed_at timestamp with time zone,
  ended_at timestamp with time zone,
  waiting_since timestamp with time zone,
  waiting_reason text,
  halted_at timestamp with time zone,
  halted_reason text,
  paced_at timestamp with time zone not null default now(),
  recipients integer not null default 0,
  open integer not null default 0,
  sent integer not null default 0,
  failed integer not null default 0,
  opted_out integer not null default 0,
  no_id integer not null default 0,
  erased integer not null default 0,
  answered integer not null default 0,
  causes jsonb not null default '{}'::jsonb,
  id_from text,
  no_address integer not null default 0,
  id_taken integer not null default 0,
  starts_at timestamp with time zone,
  blocked integer not null default 0,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CHECK (((halted_at IS NULL) = (halted_reason IS NULL))),
  CHECK (((rate_per_minute >= 1) AND (rate_per_minute <= 6000))),
  CHECK (((state <> 'scheduled'::text) OR (starts_at IS NOT NULL))),
  CHECK (((state = ANY (ARRAY['stopped'::text, 'finished'::text])) = (ended_at IS NOT NULL))),
  CHECK (((waiting_since IS NULL) = (waiting_reason IS NULL))),
  CHECK ((LEAST(recipients, open, sent, failed, opted_out, no_id, erased, answered) >= 0)),
  CHECK ((blocked >= 0)),
  CHECK ((id_from = ANY (ARRAY['phone'::text, 'email'::text]))),
  CHECK ((id_taken >= 0)),
  CHECK ((no_address >= 0)),
  CHECK ((recipients >= ((((((((open + sent) + failed) + opted_out) + no_id) + erased) + no_address) + id_taken) + blocked))),
  CHECK ((recipients >= (((((((open + sent) + failed) + opted_out) + no_id) + erased) + no_address) + id_taken))),
  CHECK ((recipients >= (((((open + sent) + failed) + opted_out) + no_id) + erased))),
  CHECK ((state = ANY (ARRAY['scheduled'::text, 'preparing'::text, 'running'::text, 'paused'::text, 'stopped'::text, 'finished'::text])))
);
CREATE INDEX broadcasts_active ON broadcasts USING btree (account_id, id) WHERE ((state = ANY (ARRAY['preparing'::text, 'running'::text])) OR (open > 0));
CREATE INDEX broadcasts_halted ON broadcasts USING btree (account_id, id) WHERE (halted_at IS NOT NULL);
CREATE INDEX broadcasts_scheduled ON broadcasts USING btree (starts_at) WHERE (state = 'scheduled'::text);

create table campaigns (
  account_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  status text not null,
  is_default boolean not null,
  settings jsonb not null,
  version integer not null default 1,
  knowledge_version integer not null default 0,
  trouble text,
  created_at timestamp with time zone not null default now(),
  unanswered_version integer not null default 0,
  connection_id text collate "C",
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, connection_id) REFERENCES connections(account_id, id),
  CHECK ((status = ANY (ARRAY['draft'::text, 'live'::text, 'paused'::text, 'archived'::text])))
);
CREATE INDEX campaigns_by_connection ON campaigns USING btree (account_id, connection_id) WHERE (connection_id IS NOT NULL);
CREATE INDEX campaigns_in_trouble ON campaigns USING btree (account_id, id) WHERE (trouble IS NOT NULL);
CREATE UNIQUE INDEX campaigns_one_default ON campaigns USING btree (account_id) WHERE is_default;
CREATE INDEX campaigns_taught ON campaigns USING btree (account_id, id) WHERE (knowledge_version <> unanswered_version);

create table channel_directory (
  channel_id text collate "C" not null,
  account_id text collate "C" not null,
  kind text collate "C" not null,
  provider_key text collate "C" not null,
  UNIQUE (kind, provider_key),
  PRIMARY KEY (channel_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table channel_labels (
  account_id text collate "C" not null,
  label text collate "C" not null,
  colour integer not null,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (account_id, label),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CHECK (((colour >= 1) AND (colour <= 8)))
);

create table channel_polls (
  account_id text collate "C" not null,
  channel_id text collate "C" not null,
  cursor bigint not null default 0,
  due_at timestamp with time zone not null default now(),
  lease_token uuid,
  leased_until timestamp with time zone,
  PRIMARY KEY (account_id, channel_id),
  FOREIGN KEY (account_id, channel_id) REFERENCES channels(account_id, id) ON DELETE CASCADE,
  CHECK (((lease_token IS NULL) = (leased_until IS NULL)))
);
CREATE INDEX channel_polls_due ON channel_polls USING btree (due_at);

create table channel_rates (
  account_id text collate "C" not null,
  channel_id text collate "C" not null,
  next_at timestamp with time zone not null default now(),
  queued_at timestamp with time zone not null default now(),
  paused_until timestamp with time zone,
  not_registered integer not null default 0,
  PRIMARY KEY (account_id, channel_id),
  FOREIGN KEY (account_id, channel_id) REFERENCES channels(account_id, id) ON DELETE CASCADE
);

create table channels (
  account_id text collate "C" not null,
  id text collate "C" not null,
  kind text collate "C" not null,
  provider_key text collate "C" not null,
  name text not null,
  address text not null,
  state text collate "C" not null default 'connecting'::text,
  attention_reason text,
  attention_since timestamp with time zone,
  paused_at timestamp with time zone,
  paused_by text collate "C",
  settings jsonb not null,
  credentials text,
  version integer not null default 1,
  receives_by text collate "C" not null default 'auto'::text,
  when_in_doubt text collate "C" not null default 'resend'::text,
  per_second real,
  hook_url text,
  hook_version integer,
  checks jsonb not null default '[]'::jsonb,
  checked_at timestamp with time zone,
  check_due_at timestamp with time zone,
  last_event_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  resumed_at timestamp with time zone,
  removed_at timestamp with time zone,
  hook_before jsonb,
  credits_per_message bigint not null default 0,
  UNIQUE (account_id, kind, provider_key),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CHECK (((attention_reason IS NULL) = (attention_since IS NULL))),
  CHECK (((credits_per_message >= 0) AND (credits_per_message <= 10000000))),
  CHECK (((state <> 'removed'::text) OR (check_due_at IS NULL))),
  CHECK (((state <> 'removed'::text) OR (credentials IS NULL))),
  CHECK (((state = 'removed'::text) = (removed_at IS NOT NULL))),
  CHECK ((id ~~ 'chn\_%'::text)),
  CHECK ((per_second > (0)::double precision)),
  CHECK ((receives_by = ANY (ARRAY['auto'::text, 'poll'::text, 'hook'::text]))),
  CHECK ((state = ANY (ARRAY['connecting'::text, 'working'::text, 'attention'::text, 'removed'::text]))),
  CHECK ((when_in_doubt = ANY (ARRAY['resend'::text, 'person'::text])))
);
CREATE INDEX channels_check_due ON channels USING btree (check_due_at) WHERE (check_due_at IS NOT NULL);

create table chat_days (
  account_id text collate "C" not null,
  channel_id text collate "C" not null,
  day date not null,
  contacts integer not null default 0,
  messages integer not null default 0,
  file_bytes bigint not null default 0,
  model_answers integer not null default 0,
  refused integer not null default 0,
  refused_page integer not null default 0,
  refused_pace integer not null default 0,
  refused_full integer not null default 0,
  forged integer not null default 0,
  PRIMARY KEY (account_id, channel_id, day),
  FOREIGN KEY (account_id, channel_id) REFERENCES channels(account_id, id) ON DELETE CASCADE
);
CREATE INDEX chat_days_by_day ON chat_days USING btree (day);

create table chat_pages (
  account_id text collate "C" not null,
  channel_id text collate "C" not null,
  seen_host text,
  seen_at timestamp with time zone,
  refused_origin text,
  refused_at timestamp with time zone,
  forged_at timestamp with time zone,
  hidden_at timestamp with time zone,
  PRIMARY KEY (account_id, channel_id),
  FOREIGN KEY (account_id, channel_id) REFERENCES channels(account_id, id) ON DELETE CASCADE,
  CHECK (((refused_origin IS NULL) = (refused_at IS NULL))),
  CHECK (((seen_host IS NULL) = (seen_at IS NULL)))
);

create table chat_panels (
  account_id text collate "C" not null,
  channel_id text collate "C" not null,
  process text collate "C" not null,
  open integer not null,
  at timestamp with time zone not null default now(),
  PRIMARY KEY (account_id, channel_id, process),
  FOREIGN KEY (account_id, channel_id) REFERENCES channels(account_id, id) ON DELETE CASCADE
);

create table connections (
  account_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  kind text not null,
  url text,
  key text,
  sealed_for text collate "C" not null,
  model text,
  version integer not null default 1,
  last_try jsonb,
  created_at timestamp with time zone not null default now(),
  prompt_tokens integer,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CHECK (((kind <> 'openai-compatible'::text) OR (url IS NOT NULL))),
  CHECK ((kind = ANY (ARRAY['openai-compatible'::text, 'openai'::text, 'anthropic'::text])))
);

create table contact_addresses (
  account_id text collate "C" not null,
  channel_id text collate "C" not null,
  kind text collate "C" not null,
  address text collate "C" not null,
  contact_id text collate "C" not null,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (account_id, channel_id, kind, address),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE
);
CREATE INDEX contact_addresses_by_contact ON contact_addresses USING btree (account_id, contact_id);

create table contact_channels (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  channel_id text collate "C" not null,
  address_kind text collate "C" not null,
  address text collate "C" not null,
  username text,
  last_inbound_at timestamp with time zone,
  stopped_at timestamp with time zone,
  stop_scope text collate "C",
  pair_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  left_email text,
  left_email_at timestamp with time zone,
  seen_at timestamp with time zone,
  signed_in_as text collate "C",
  stop_source text collate "C",
  started_at timestamp with time zone,
  PRIMARY KEY (account_id, contact_id, channel_id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  CHECK (((left_email IS NULL) = (left_email_at IS NULL))) NOT VALID,
  CHECK (((stopped_at IS NULL) = (stop_scope IS NULL)))
);
CREATE INDEX contact_channels_browsers ON contact_channels USING btree (account_id, contact_id) WHERE (address_kind = 'browser'::text);
CREATE INDEX contact_channels_by_sign_in ON contact_channels USING btree (account_id, signed_in_as) WHERE (signed_in_as IS NOT NULL);
CREATE INDEX contact_channels_by_username ON contact_channels USING btree (account_id, lower(username)) WHERE (username IS NOT NULL);

create table contacts (
  account_id text collate "C" not null,
  id text collate "C" not null,
  first_name text,
  last_name text,
  phone text collate "C",
  email text collate "C",
  created_at timestamp with time zone not null default now(),
  external_id text collate "C",
  opted_out_at timestamp with time zone,
  opted_out_by text,
  is_simulated boolean not null default false,
  search_text text collate "C" not null generated always as (searchable(((((((replace(((COALESCE(first_name, ''::text) || ' '::text) || COALESCE(last_name, ''::text)), '
'::text, ' '::text) || '
'::text) || COALESCE(email, ''::text)) || '
'::text) || COALESCE(external_id, ''::text)) || '
'::text) || COALESCE(phone, ''::text)))) stored,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  CHECK (((opted_out_at IS NULL) = (opted_out_by IS NULL))),
  CHECK ((opted_out_by = ANY (ARRAY['contact'::text, 'operator'::text, 'returned'::text])))
);
CREATE INDEX contacts_by_email ON contacts USING btree (account_id, email, created_at, id) WHERE (email IS NOT NULL);
CREATE INDEX contacts_by_name ON contacts USING btree (account_id, COALESCE(NULLIF("left"(btrim(split_part(search_text, chr(10), 1)), 40), ''::text), chr(1114111)), id);
CREATE UNIQUE INDEX contacts_one_by_external_id ON contacts USING btree (account_id, external_id) WHERE (external_id IS NOT NULL);
CREATE UNIQUE INDEX contacts_one_by_phone ON contacts USING btree (account_id, phone) WHERE (phone IS NOT NULL);
CREATE INDEX contacts_opted_out ON contacts USING btree (account_id, id) WHERE (opted_out_at IS NOT NULL);
CREATE INDEX contacts_simulated ON contacts USING btree (account_id, id) WHERE is_simulated;
CREATE TRIGGER contacts_count_cleared_fields AFTER UPDATE OF first_name, last_name, email ON contacts FOR EACH ROW WHEN ((((old.first_name IS NOT NULL) AND (new.first_name IS NULL)) OR ((old.last_name IS NOT NULL) AND (new.last_name IS NULL)) OR ((old.email IS NOT NULL) AND (new.email IS NULL)))) EXECUTE FUNCTION count_cleared_fields();

create table conversation_events (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  id uuid not null default gen_random_uuid(),
  seq bigint not null,
  kind text not null,
  user_id text collate "C",
  at timestamp with time zone not null default now(),
  to_user_id text collate "C",
  until timestamp with time zone,
  PRIMARY KEY (account_id, contact_id, id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  CHECK ((kind = ANY (ARRAY['taken over'::text, 'handed back'::text, 'switched off'::text, 'asked for a person'::text, 'opted out'::text, 'opted in'::text, 'assigned'::text, 'unassigned'::text, 'closed'::text, 'reopened'::text, 'snoozed'::text, 'snooze ended'::text, 'blocked'::text, 'unblocked'::text, 'signed in'::text, 'left e-mail'::text, 'asked to be deleted'::text, 'not deleted'::text]))) NOT VALID
);
CREATE INDEX conversation_events_by_age ON conversation_events USING btree (account_id, at);

create table conversation_notes (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  id uuid not null default gen_random_uuid(),
  seq bigint not null,
  user_id text collate "C" not null,
  client_id text collate "C" not null,
  body text not null,
  at timestamp with time zone not null default now(),
  UNIQUE (account_id, contact_id, user_id, client_id),
  PRIMARY KEY (account_id, contact_id, id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE
);
CREATE INDEX conversation_notes_by_age ON conversation_notes USING btree (account_id, at);

create table conversation_reads (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  user_id text collate "C" not null,
  seq bigint not null,
  PRIMARY KEY (account_id, user_id, contact_id) INCLUDE (seq),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE
);
CREATE INDEX conversation_reads_by_contact ON conversation_reads USING btree (account_id, contact_id);

create table conversation_tags (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  tag text collate "C" not null,
  tagged_at timestamp with time zone not null default now(),
  PRIMARY KEY (account_id, contact_id, tag),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE
);
CREATE INDEX conversation_tags_by_tag ON conversation_tags USING btree (account_id, tag, tagged_at, contact_id);

create table conversations (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  channel text,
  campaign_id text,
  last_seq bigint not null default 0,
  last_outgoing_seq bigint not null default 0,
  quiet_ms integer not null default 2000,
  created_at timestamp with time zone not null default now(),
  handler text not null default 'bot'::text,
  handler_reason text,
  handler_since timestamp with time zone,
  epoch integer not null default 0,
  handed_back_seq bigint not null default 0,
  person_at timestamp with time zone,
  waiting_since timestamp with time zone,
  waiting_reason text,
  misses integer not null default 0,
  offered text[] not null default '{}'::text[],
  max_wait_ms integer not null default 15000,
  consent_seq bigint not null default 0,
  active_at timestamp with time zone not null default now(),
  active_step timestamp with time zone not null default activity_step(now()),
  incoming_seq bigint not null default 0,
  is_simulated boolean not null default false,
  handler_user_id text collate "C",
  state text collate "C" not null default 'open'::text,
  snoozed_until timestamp with time zone,
  assignee_id text collate "C",
  clears integer not null default 0,
  PRIMARY KEY (account_id, contact_id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  CHECK (((state = 'snoozed'::text) = (snoozed_until IS NOT NULL))),
  CHECK ((handler = ANY (ARRAY['bot'::text, 'person'::text, 'off'::text]))),
  CHECK ((state = ANY (ARRAY['open'::text, 'snoozed'::text, 'closed'::text, 'empty'::text])))
);
CREATE INDEX conversations_by_activity ON conversations USING btree (account_id, state, active_step);
CREATE INDEX conversations_by_assignee ON conversations USING btree (account_id, assignee_id, active_step) WHERE ((assignee_id IS NOT NULL) AND (state = 'open'::text));
CREATE INDEX conversations_snoozed ON conversations USING btree (snoozed_until) WHERE (snoozed_until IS NOT NULL);
CREATE INDEX conversations_waiting ON conversations USING btree (account_id, waiting_since) WHERE ((waiting_since IS NOT NULL) AND (state = 'open'::text));

create table deliveries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  contact_id text collate "C",
  outgoing_seq bigint,
  payload text not null,
  due_at timestamp with time zone default now(),
  attempts integer not null default 0,
  error_category text,
  error_http_status integer,
  error_detail text,
  receiver_id text collate "C" not null,
  author text,
  first_attempt_at timestamp with time zone,
  last_attempt_at timestamp with time zone,
  lease_token uuid,
  leased_until timestamp with time zone,
  sent_at timestamp with time zone,
  last_url text,
  last_duration_ms integer,
  trace text,
  asked text collate "C",
  own_due_at timestamp with time zone,
  asked_attempts integer not null default 0,
  doubt_since timestamp with time zone,
  delivered_at timestamp with time zone,
  read_at timestamp with time zone,
  awaits_receipt_until timestamp with time zone,
  PRIMARY KEY (account_id, id),
  CHECK (((last_url IS NULL) = (last_duration_ms IS NULL))),
  CHECK (((lease_token IS NULL) = (leased_until IS NULL))),
  CHECK (((receiver_id <> ALL (ARRAY['recharge'::text, 'alert'::text])) = ((contact_id IS NOT NULL) AND (outgoing_seq IS NOT NULL) AND (author IS NOT NULL)))) NOT VALID,
  CHECK (((receiver_id = ANY (ARRAY['reply'::text, 'recharge'::text, 'simulator'::text, 'alert'::text])) OR (receiver_id ~~ 'chn\_%'::text))) NOT VALID,
  CHECK ((asked = ANY (ARRAY['now'::text, 'in turn'::text]))) NOT VALID
);
CREATE INDEX deliveries_asked_now ON deliveries USING btree (account_id, receiver_id, due_at) WHERE (asked = 'now'::text);
CREATE INDEX deliveries_failed ON deliveries USING btree (account_id, id) WHERE (error_category IS NOT NULL);
CREATE INDEX deliveries_failed_by_contact ON deliveries USING btree (account_id, contact_id) WHERE ((error_category IS NOT NULL) AND (sent_at IS NULL) AND (contact_id IS NOT NULL));
CREATE INDEX deliveries_open ON deliveries USING btree (account_id, receiver_id, due_at, id) WHERE (due_at IS NOT NULL);
CREATE INDEX deliveries_open_in_order ON deliveries USING btree (account_id, contact_id, outgoing_seq) WHERE (due_at IS NOT NULL);

create table delivery_attempts (
  account_id text collate "C" not null,
  delivery_id text collate "C" not null,
  n integer not null,
  at timestamp with time zone not null default now(),
  url text not null,
  duration_ms integer not null,
  error_category text,
  error_http_status integer,
  error_detail text,
  PRIMARY KEY (account_id, delivery_id, n)
);
CREATE INDEX delivery_attempts_by_age ON delivery_attempts USING btree (account_id, at);

create table delivery_parts (
  account_id text collate "C" not null,
  delivery_id text collate "C" not null,
  n integer not null,
  channel_id text collate "C" not null,
  contact_id text collate "C" not null,
  address_kind text collate "C" not null,
  address text collate "C" not null,
  content jsonb not null,
  attempts integer not null default 0,
  waits integer not null default 0,
  begun_at timestamp with time zone,
  doubt_since timestamp with time zone,
  resent_at timestamp with time zone,
  provider_id text collate "C",
  accepted_at timestamp with time zone,
  error_code text,
  error_detail text,
  doubt_ended_at timestamp with time zone,
  doubt_ended_by text collate "C",
  delivered_at timestamp with time zone,
  read_at timestamp with time zone,
  failed_at timestamp with time zone,
  provider_says text,
  PRIMARY KEY (account_id, delivery_id, n)
);
CREATE UNIQUE INDEX delivery_parts_by_provider_id ON delivery_parts USING btree (account_id, channel_id, provider_id) WHERE (provider_id IS NOT NULL);
CREATE INDEX delivery_parts_unread ON delivery_parts USING btree (account_id, contact_id, channel_id, delivery_id) WHERE ((read_at IS NULL) AND (address_kind <> 'chat'::text));

create table entries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  campaign_id text collate "C" not null,
  is_on boolean not null,
  hands_over boolean not null,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id) ON DELETE CASCADE
);
CREATE INDEX entries_by_campaign ON entries USING btree (account_id, campaign_id, id);

create table entry_texts (
  account_id text collate "C" not null,
  entry_id text collate "C" not null,
  n integer not null,
  text text not null,
  model text,
  vector bytea,
  PRIMARY KEY (account_id, entry_id, n),
  FOREIGN KEY (account_id, entry_id) REFERENCES entries(account_id, id) ON DELETE CASCADE,
  CHECK (((model IS NULL) = (vector IS NULL)))
);
CREATE INDEX entry_texts_by_model ON entry_texts USING btree (model);
CREATE INDEX entry_texts_missing ON entry_texts USING btree (account_id) WHERE (model IS NULL);

create table entry_use_marks (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  counted_to timestamp with time zone not null,
  PRIMARY KEY (account_id, campaign_id),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id) ON DELETE CASCADE
);

create table entry_uses (
  account_id text collate "C" not null,
  entry_id text collate "C" not null,
  day date not null,
  times integer not null,
  PRIMARY KEY (account_id, entry_id, day),
  FOREIGN KEY (account_id, entry_id) REFERENCES entries(account_id, id) ON DELETE CASCADE
);
CREATE INDEX entry_uses_by_age ON entry_uses USING btree (day);

create table erasures (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  messages integer not null default 0,
  begun_at timestamp with time zone not null default now(),
  leased_until timestamp with time zone not null,
  PRIMARY KEY (account_id, contact_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table grant_keys (
  account_id text collate "C" not null,
  key text collate "C" not null,
  body_hash bytea not null,
  sub_account_id text collate "C" not null,
  entry_id text collate "C" not null,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (account_id, key)
);

create table holds (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  from_seq bigint not null,
  amount bigint not null,
  created_at timestamp with time zone not null default now(),
  for_message bigint not null default 0,
  PRIMARY KEY (account_id, contact_id, from_seq),
  CHECK (((for_message >= 0) AND (for_message <= amount))),
  CHECK ((amount > 0))
);

create table idempotency_keys (
  account_id text collate "C" not null,
  endpoint text collate "C" not null,
  key text collate "C" not null,
  body_hash bytea not null,
  status integer,
  answer text,
  created_at timestamp with time zone not null default now(),
  contact_id text collate "C",
  PRIMARY KEY (account_id, endpoint, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys USING btree (created_at);
CREATE INDEX idempotency_keys_by_contact ON idempotency_keys USING btree (account_id, contact_id) WHERE (contact_id IS NOT NULL);

create table import_blocks (
  account_id text collate "C" not null,
  import_id text collate "C" not null,
  from_row integer not null,
  rows jsonb not null,
  PRIMARY KEY (account_id, import_id, from_row),
  FOREIGN KEY (account_id, import_id) REFERENCES imports(account_id, id) ON DELETE CASCADE
);

create table import_errors (
  account_id text collate "C" not null,
  import_id text collate "C" not null,
  n integer not null,
  line integer not null,
  field text collate "C",
  reason text not null,
  cells jsonb not null,
  keys text[] not null,
  PRIMARY KEY (account_id, import_id, n),
  FOREIGN KEY (account_id, import_id) REFERENCES imports(account_id, id) ON DELETE CASCADE
);

create table import_parts (
  account_id text collate "C" not null,
  import_id text collate "C" not null,
  n integer not null,
  text text not null,
  PRIMARY KEY (account_id, import_id, n),
  FOREIGN KEY (account_id, import_id) REFERENCES imports(account_id, id) ON DELETE CASCADE
);

create table imports (
  account_id text collate "C" not null,
  id text collate "C" not null,
  state text collate "C" not null default 'uploading'::text,
  file_name text not null,
  encoding text not null,
  created_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  parts integer not null default 0,
  bytes integer not null default 0,
  refusal text,
  delimiter text,
  headers jsonb not null default '[]'::jsonb,
  first_rows jsonb not null default '[]'::jsonb,
  rows integer not null default 0,
  mapping jsonb not null default '[]'::jsonb,
  checked integer not null default 0,
  wrong integer not null default 0,
  known integer not null default 0,
  list_id text collate "C",
  overwrites boolean not null default false,
  done integer not null default 0,
  added integer not null default 0,
  changed integer not null default 0,
  same integer not null default 0,
  failed integer not null default 0,
  forgotten integer not null default 0,
  lease text collate "C",
  leased_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  served_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  place jsonb,
  attempts integer not null default 0,
  country text,
  erased text[] not null default '{}'::text[],
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CHECK ((state = ANY (ARRAY['uploading'::text, 'reading'::text, 'checking'::text, 'ready'::text, 'running'::text, 'finished'::text, 'stopped'::text, 'refused'::text])))
);
CREATE INDEX imports_due ON imports USING btree (served_at) WHERE (state = ANY (ARRAY['reading'::text, 'checking'::text, 'running'::text]));

create table installation (
  one boolean not null default true,
  secret_key_check text not null,
  owner_account_id text collate "C",
  created_at timestamp with time zone not null default now(),
  searched_to timestamp with time zone not null default '-infinity'::timestamp with time zone,
  backed_up_at timestamp with time zone,
  work_paused_at timestamp with time zone,
  ledger_checked_at timestamp with time zone,
  ledger_breaches integer,
  backup_failed_at timestamp with time zone,
  backup_failure text,
  restored_at timestamp with time zone,
  PRIMARY KEY (one),
  FOREIGN KEY (owner_account_id) REFERENCES accounts(id),
  CHECK (((ledger_checked_at IS NULL) = (ledger_breaches IS NULL))),
  CHECK (one)
);

create table ledger (
  account_id text collate "C" not null,
  id text collate "C" not null,
  n bigint not null,
  kind text not null,
  payer_id text collate "C" not null,
  payer_purse text not null,
  payee_id text collate "C" not null,
  payee_purse text not null,
  amount bigint not null,
  balance_after bigint not null,
  description text,
  actor text not null,
  contact_id text collate "C",
  from_seq bigint,
  reverses text collate "C",
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  CHECK ((((kind = 'usage'::text) = (contact_id IS NOT NULL)) AND ((kind = 'usage'::text) = (from_seq IS NOT NULL)))),
  CHECK (((amount >= 1) AND (amount <= '10000000000000'::bigint))),
  CHECK (((kind <> 'grant'::text) OR (payer_purse = 'issuance'::text))),
  CHECK (((kind <> 'usage'::text) OR (payee_purse = 'usage'::text))),
  CHECK (((kind = 'reversal'::text) = (reverses IS NOT NULL))),
  CHECK (((payer_purse = 'credits'::text) <> (payee_purse = 'credits'::text))),
  CHECK ((account_id =
CASE
    WHEN (payer_purse = 'credits'::text) THEN payer_id
    ELSE payee_id
END)),
  CHECK ((balance_after >= 0)),
  CHECK ((kind = ANY (ARRAY['grant'::text, 'usage'::text, 'reversal'::text]))),
  CHECK ((n > 0)),
  CHECK ((payee_purse = ANY (ARRAY['credits'::text, 'issuance'::text, 'usage'::text]))),
  CHECK ((payer_purse = ANY (ARRAY['credits'::text, 'issuance'::text, 'usage'::text])))
);
CREATE INDEX ledger_granted_by_key ON ledger USING btree (payer_id, id) WHERE ((kind = 'grant'::text) AND (actor = 'api'::text));
CREATE INDEX ledger_granted_to ON ledger USING btree (account_id, id) WHERE ((kind = 'grant'::text) AND (actor = 'api'::text));
CREATE UNIQUE INDEX ledger_in_order ON ledger USING btree (account_id, n);
CREATE UNIQUE INDEX ledger_one_by_answer ON ledger USING btree (account_id, contact_id, from_seq) WHERE (contact_id IS NOT NULL);
CREATE UNIQUE INDEX ledger_one_reversal ON ledger USING btree (account_id, reverses) WHERE (reverses IS NOT NULL);
CREATE TRIGGER ledger_never_changes BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger FOR EACH STATEMENT EXECUTE FUNCTION refuse_change() ENABLE ALWAYS;

create table list_counts (
  account_id text collate "C" not null,
  list_id text collate "C" not null,
  slot integer not null,
  contacts bigint not null,
  PRIMARY KEY (account_id, list_id, slot)
);

create table list_members (
  account_id text collate "C" not null,
  list_id text collate "C" not null,
  contact_id text collate "C" not null,
  added_at timestamp with time zone not null default now(),
  PRIMARY KEY (account_id, list_id, contact_id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, list_id) REFERENCES lists(account_id, id) ON DELETE CASCADE
);
CREATE INDEX list_members_by_contact ON list_members USING btree (account_id, contact_id);
CREATE INDEX list_members_by_time ON list_members USING btree (account_id, list_id, added_at, contact_id);
CREATE TRIGGER list_members_added AFTER INSERT ON list_members REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_list_members();
CREATE TRIGGER list_members_removed AFTER DELETE ON list_members REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_list_members();

create table lists (
  account_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table media (
  account_id text collate "C" not null,
  id text collate "C" not null,
  content_type text not null,
  size_bytes integer not null,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (account_id, id)
);

create table media_chunks (
  account_id text collate "C" not null,
  media_id text collate "C" not null,
  n integer not null,
  bytes bytea not null,
  PRIMARY KEY (account_id, media_id, n),
  FOREIGN KEY (account_id, media_id) REFERENCES media(account_id, id) ON DELETE CASCADE
);

create table message_details (
  account_id text collate "C" not null,
  message_id text collate "C" not null,
  provider_at timestamp with time zone,
  reply_to text collate "C",
  data jsonb not null default '{}'::jsonb,
  edited_body text,
  edited_at timestamp with time zone,
  removed_at timestamp with time zone,
  PRIMARY KEY (account_id, message_id),
  FOREIGN KEY (account_id, message_id) REFERENCES messages(account_id, id) ON DELETE CASCADE,
  CHECK (((edited_body IS NULL) = (edited_at IS NULL)))
);

create table message_search (
  account_id text collate "C" not null,
  id uuid not null default gen_random_uuid(),
  newest_id text collate "C" not null,
  message_ids text[] collate "C" not null,
  contact_ids text[] collate "C" not null,
  texts text collate "C" not null,
  terms integer[],
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX message_search_by_term ON message_search USING gin (terms);
CREATE INDEX message_search_newest ON message_search USING btree (account_id, newest_id) WHERE (terms IS NOT NULL);
CREATE INDEX message_search_oldest ON message_search USING btree (account_id, (message_ids[1])) WHERE (terms IS NOT NULL);
CREATE INDEX message_search_open ON message_search USING btree (account_id) WHERE (terms IS NULL);

create table messages (
  account_id text collate "C" not null,
  id text collate "C" not null,
  contact_id text collate "C" not null,
  seq bigint not null,
  direction text not null,
  author text not null,
  kind text not null,
  status text,
  body text not null,
  channel text,
  campaign_id text,
  message_sid text collate "C",
  to_id text,
  outgoing_seq bigint,
  created_at timestamp with time zone not null default now(),
  user_id text collate "C",
  broadcast_id text collate "C",
  PRIMARY KEY (account_id, id),
  CHECK (((status IS NULL) = (direction = 'outgoing'::text))),
  CHECK ((author = ANY (ARRAY['contact'::text, 'bot'::text, 'person'::text, 'api'::text]))),
  CHECK ((direction = ANY (ARRAY['incoming'::text, 'outgoing'::text]))),
  CHECK ((kind = ANY (ARRAY['text'::text, 'reaction'::text])))
);
CREATE UNIQUE INDEX messages_in_order ON messages USING btree (account_id, contact_id, seq);
CREATE UNIQUE INDEX messages_one_by_sid ON messages USING btree (account_id, message_sid) WHERE (message_sid IS NOT NULL);

create table opt_outs (
  account_id text collate "C" not null,
  hash bytea not null,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (account_id, hash),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table outgoing_files (
  account_id text collate "C" not null,
  id text collate "C" not null,
  contact_id text collate "C" not null,
  user_id text collate "C",
  media_id text collate "C" not null,
  content_type text not null,
  file_name text not null,
  created_at timestamp with time zone not null default now(),
  by_contact boolean not null default false,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, media_id) REFERENCES media(account_id, id),
  CHECK ((id ~~ 'fil\_%'::text))
);
CREATE INDEX outgoing_files_by_age ON outgoing_files USING btree (created_at);
CREATE INDEX outgoing_files_by_contact ON outgoing_files USING btree (account_id, contact_id);
CREATE INDEX outgoing_files_by_media ON outgoing_files USING btree (account_id, media_id);

create table provider_events (
  account_id text collate "C" not null,
  id uuid not null default gen_random_uuid(),
  channel_id text collate "C" not null,
  at timestamp with time zone not null default now(),
  day date not null default CURRENT_DATE,
  why text not null,
  body text,
  times integer not null default 1,
  provider_id text collate "C",
  due_at timestamp with time zone,
  attempts integer not null default 0,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, channel_id) REFERENCES channels(account_id, id) ON DELETE CASCADE
);
CREATE INDEX provider_events_by_age ON provider_events USING btree (at);
CREATE UNIQUE INDEX provider_events_counted ON provider_events USING btree (account_id, channel_id, day, why) WHERE (body IS NULL);
CREATE INDEX provider_events_due ON provider_events USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX provider_events_kept ON provider_events USING btree (account_id, channel_id, at) WHERE (body IS NOT NULL);
CREATE INDEX provider_events_parked ON provider_events USING btree (account_id, channel_id, provider_id) WHERE (due_at IS NOT NULL);

create table rate_windows (
  key_hash bytea not null,
  number integer not null,
  ends_at timestamp with time zone not null,
  quota integer not null,
  leased integer not null,
  wanted integer not null,
  most integer not null,
  granted integer not null,
  PRIMARY KEY (key_hash)
);

create table receivers (
  account_id text collate "C" not null,
  id text collate "C" not null,
  url text not null,
  secret text,
  old_secret text,
  old_secret_until timestamp with time zone,
  failures_in_row integer not null default 0,
  failing_since timestamp with time zone,
  last_success_at timestamp with time zone,
  probe_at timestamp with time zone,
  probe_wait_seconds integer not null default 1,
  paused_at timestamp with time zone,
  gone_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  last_test jsonb,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CHECK (((id = ANY (ARRAY['reply'::text, 'recharge'::text, 'simulator'::text, 'alert'::text])) OR (id ~~ 'chn\_%'::text))) NOT VALID,
  CHECK (((old_secret IS NULL) = (old_secret_until IS NULL))),
  CHECK (((secret IS NOT NULL) OR (id ~~ 'chn\_%'::text))) NOT VALID
);
CREATE INDEX receivers_of_alerts ON receivers USING btree (account_id) WHERE (id = 'alert'::text);

create table removed_sids (
  account_id text collate "C" not null,
  sid_hash bytea not null,
  message_id text collate "C" not null,
  noted_at timestamp with time zone not null default now(),
  PRIMARY KEY (account_id, sid_hash),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX removed_sids_by_age ON removed_sids USING btree (account_id, noted_at);

create table report_accounts (
  account_id text collate "C" not null,
  zone text not null,
  began_at timestamp with time zone not null,
  counted_to timestamp with time zone not null default '-infinity'::timestamp with time zone,
  answers_to timestamp with time zone not null default '-infinity'::timestamp with time zone,
  ledger_n bigint not null default 0,
  caught_up_at timestamp with time zone,
  misses_since timestamp with time zone,
  PRIMARY KEY (account_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table report_channels (
  account_id text collate "C" not null,
  id integer not null,
  label text collate "C",
  UNIQUE (account_id, label),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table report_days (
  account_id text collate "C" not null,
  day date not null,
  channel integer not null,
  messages_in integer not null,
  messages_out integer not null,
  by_bot integer not null,
  by_person integer not null,
  by_api integer not null,
  sent integer not null,
  failed integer not null,
  unanswered integer not null,
  spent bigint not null,
  bot_conversations integer not null,
  bot_resolved integer not null,
  responses bytea not null,
  deliveries bytea not null,
  PRIMARY KEY (account_id, day, channel),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table report_deliveries (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  message_id text collate "C" not null,
  channel integer not null,
  created_at timestamp with time zone not null,
  is_failed boolean not null,
  PRIMARY KEY (account_id, contact_id, message_id),
  FOREIGN KEY (account_id, contact_id) REFERENCES report_marks(account_id, contact_id) ON DELETE CASCADE
);
CREATE INDEX report_deliveries_open ON report_deliveries USING btree (account_id, contact_id, message_id) WHERE (NOT is_failed);

create table report_dirty_days (
  account_id text collate "C" not null,
  day date not null,
  PRIMARY KEY (account_id, day),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table report_marks (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  key bigint not null default hashtextextended((gen_random_uuid())::text, (0)::bigint),
  seq bigint not null,
  channels integer[] not null default '{}'::integer[],
  PRIMARY KEY (account_id, contact_id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE
);

create table report_quarters (
  account_id text collate "C" not null,
  quarter timestamp with time zone not null,
  channel integer not null,
  messages_in integer not null,
  messages_out integer not null,
  by_bot integer not null,
  by_person integer not null,
  by_api integer not null,
  sent integer not null,
  failed integer not null,
  unanswered integer not null,
  spent bigint not null,
  responses integer[] not null,
  delivery_ms integer[] not null,
  bot_keys bigint[] not null,
  person_keys bigint[] not null,
  wish_keys bigint[] not null,
  answer_keys bigint[] not null default '{}'::bigint[],
  answer_marks bigint[] not null default '{}'::bigint[],
  PRIMARY KEY (account_id, quarter, channel),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table report_waiting (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  quarter timestamp with time zone not null,
  channel integer not null,
  messages integer not null,
  first_seq bigint not null,
  first_at timestamp with time zone not null,
  last_seq bigint not null,
  PRIMARY KEY (account_id, contact_id, quarter, channel),
  FOREIGN KEY (account_id, contact_id) REFERENCES report_marks(account_id, contact_id) ON DELETE CASCADE
);
CREATE INDEX report_waiting_by_age ON report_waiting USING btree (account_id, quarter);

create table retention_marks (
  account_id text collate "C" not null,
  removed_before timestamp with time zone not null,
  PRIMARY KEY (account_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table retention_rules (
  account_id text collate "C" not null,
  kind text collate "C" not null,
  days integer not null,
  PRIMARY KEY (account_id, kind),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CHECK (((days >= 1) AND (days <= 36500))),
  CHECK ((kind = ANY (ARRAY['messages'::text, 'attachments'::text, 'answers'::text, 'attempts'::text, 'unanswered'::text, 'calls'::text, 'visitors'::text]))) NOT VALID
);

create table running_servers (
  number integer not null,
  name text not null,
  version text not null,
  started_at timestamp with time zone not null default now(),
  settings jsonb not null,
  PRIMARY KEY (number)
);

create table saved_replies (
  account_id text collate "C" not null,
  id text collate "C" not null,
  shortcut text collate "C" not null,
  body text not null,
  updated_at timestamp with time zone not null default now(),
  UNIQUE (account_id, shortcut),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table schema_migrations (
  version integer not null,
  name text not null,
  applied_at timestamp with time zone not null default now(),
  runs_beside boolean not null default false,
  PRIMARY KEY (version)
);

create table search_backfills (
  account_id text collate "C" not null,
  before_id text collate "C" not null,
  PRIMARY KEY (account_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table search_marks (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  seq bigint not null,
  backfill_seq bigint not null default 0,
  PRIMARY KEY (account_id, contact_id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE
);

create table sessions (
  token_hash bytea not null,
  account_id text collate "C" not null,
  user_id text collate "C" not null,
  address text,
  created_at timestamp with time zone not null default now(),
  used_at timestamp with time zone not null default now(),
  guest_id text collate "C",
  visit_ends_at timestamp with time zone,
  told_at timestamp with time zone,
  PRIMARY KEY (token_hash),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  FOREIGN KEY (guest_id) REFERENCES users(id) ON DELETE SET NULL,
  FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX sessions_by_age ON sessions USING btree (used_at);
CREATE INDEX sessions_by_user ON sessions USING btree (account_id, user_id);

create table simulator_events (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  id uuid not null default gen_random_uuid(),
  at timestamp with time zone not null default clock_timestamp(),
  kind text not null,
  message_id text collate "C" not null,
  outcome text not null,
  duration_ms integer not null,
  post jsonb,
  PRIMARY KEY (account_id, contact_id, id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  CHECK ((kind = ANY (ARRAY['incoming'::text, 'incoming again'::text, 'reply'::text])))
);
CREATE INDEX simulator_events_by_age ON simulator_events USING btree (account_id, at);

create table simulators (
  account_id text collate "C" not null,
  behaviour text not null default 'ok'::text,
  times_left integer,
  PRIMARY KEY (account_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CHECK ((behaviour = ANY (ARRAY['ok'::text, 'error 503'::text, 'gone 410'::text, 'silent'::text, 'hang up'::text, 'busy 429'::text]))),
  CHECK ((times_left > 0))
);

create table turns (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  first_at timestamp with time zone not null default now(),
  due_at timestamp with time zone not null,
  from_seq bigint not null,
  last_seq bigint not null,
  attempts integer not null default 0,
  superseded integer not null default 0,
  claimed_seq bigint,
  lease_token uuid,
  leased_until timestamp with time zone,
  parked_units bigint,
  trace text,
  is_free_only boolean,
  PRIMARY KEY (account_id, contact_id),
  CHECK (((lease_token IS NULL) = (leased_until IS NULL)))
);
CREATE INDEX turns_due ON turns USING btree (due_at) WHERE (lease_token IS NULL);
CREATE INDEX turns_due_in_account ON turns USING btree (account_id, due_at) WHERE (lease_token IS NULL);
CREATE INDEX turns_leased ON turns USING btree (account_id) WHERE (lease_token IS NOT NULL);
CREATE INDEX turns_parked_by_units ON turns USING btree (account_id, parked_units, first_at) WHERE ((parked_units IS NOT NULL) AND (lease_token IS NULL));

create table unanswered (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  question text collate "C" not null,
  group_id uuid not null,
  times integer not null default 1,
  model text,
  vector bytea,
  first_at timestamp with time zone not null default now(),
  last_at timestamp with time zone not null default now(),
  id uuid not null default gen_random_uuid(),
  nearest real,
  asked text,
  PRIMARY KEY (account_id, campaign_id, question),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id) ON DELETE CASCADE,
  CHECK (((model IS NULL) = (vector IS NULL)))
);
CREATE INDEX unanswered_by_age ON unanswered USING btree (account_id, last_at);
CREATE UNIQUE INDEX unanswered_by_id ON unanswered USING btree (account_id, id);
CREATE INDEX unanswered_latest ON unanswered USING btree (account_id, campaign_id, last_at DESC);

create table unanswered_askers (
  account_id text collate "C" not null,
  unanswered_id uuid not null,
  contact_id text collate "C" not null,
  times integer not null default 1,
  last_at timestamp with time zone,
  PRIMARY KEY (account_id, unanswered_id, contact_id),
  FOREIGN KEY (account_id, unanswered_id) REFERENCES unanswered(account_id, id) ON DELETE CASCADE
);
CREATE INDEX unanswered_askers_by_contact ON unanswered_askers USING btree (account_id, contact_id);

create table unread_conversations (
  account_id text collate "C" not null,
  user_id text collate "C" not null,
  contact_id text collate "C" not null,
  active_at timestamp with time zone not null,
  PRIMARY KEY (account_id, user_id, contact_id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE
);
CREATE INDEX unread_conversations_by_activity ON unread_conversations USING btree (account_id, user_id, active_at, contact_id);
CREATE INDEX unread_conversations_by_contact ON unread_conversations USING btree (account_id, contact_id);

create table users (
  id text collate "C" not null,
  account_id text collate "C" not null,
  email text collate "C",
  password_hash text not null,
  is_owner boolean not null,
  created_at timestamp with time zone not null default now(),
  name text,
  first_run_hidden boolean not null default false,
  unread_since timestamp with time zone not null default now(),
  unread_listed_until timestamp with time zone,
  is_holder boolean not null default false,
  removed_at timestamp with time zone,
  seen_at timestamp with time zone,
  guest_of text collate "C",
  is_manager boolean not null default false,
  UNIQUE (email),
  PRIMARY KEY (id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (guest_of) REFERENCES users(id) ON DELETE CASCADE,
  CHECK ((((removed_at IS NULL) AND (guest_of IS NULL)) = (email IS NOT NULL))),
  CHECK (((NOT is_holder) OR is_owner)),
  CHECK (((email IS NOT NULL) OR (NOT is_owner)))
);
CREATE INDEX users_by_account ON users USING btree (account_id, id);
CREATE UNIQUE INDEX users_one_guest ON users USING btree (account_id, guest_of) WHERE (guest_of IS NOT NULL);
CREATE UNIQUE INDEX users_one_holder ON users USING btree (account_id) WHERE is_holder;

CREATE OR REPLACE FUNCTION public.activity_step(at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (date_bin('00:15:00'::interval, at, '2000-01-01 00:00:00+00'::timestamp with time zone) + '00:15:00'::interval);

CREATE OR REPLACE FUNCTION public.count_cleared_fields()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update conversations set clears = clears + 1 where account_id = new.account_id and contact_id = new.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.count_list_members()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into list_counts as k (account_id, list_id, slot, contacts)
  select m.account_id, m.list_id, pg_backend_pid() % 64, case tg_op when 'INSERT' then count(*) else -count(*) end
  from changed m join lists l on l.account_id = m.account_id and l.id = m.list_id
  group by m.account_id, m.list_id
  order by m.account_id, m.list_id
  on conflict (account_id, list_id, slot) do update set contacts = k.contacts + excluded.contacts;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'rows of % are never changed or removed; a mistake is mended by a reversal', tg_table_name
    using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_removed_copy()
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'a copy of a message that was removed' using errcode = 'PB001';
end
$function$;

CREATE OR REPLACE FUNCTION public.searchable(given text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
begin
  if octet_length(given) = char_length(given) then
    return lower(given);
  end if;
  given := regexp_replace(normalize(given, nfkd), '[\u0300-\u036f]+', '', 'g');
  return replace(replace(lower(given collate "default"), 'ß', 'ss'), 'ς', 'σ');
end $function$;
