-- From server/src/due-work-store.ts, by npm run generate.

select exists (select from attachments where due_at <= now()) as "media",
  exists (select from imports where state in ('reading', 'checking', 'running')) as "imports",
  (
  exists (select from entry_texts where model is null)
  or exists (select from entry_texts where model < $1) or exists (select from entry_texts where model > $1)) as "knowledge",
  exists (select from campaigns where knowledge_version <> unanswered_version) as "unanswered",
  ((exists (select from broadcasts where (state in ('preparing', 'running') or open > 0)) or exists (select from broadcasts where (state = 'scheduled' and starts_at <= now()))) or exists (select from broadcast_marks where watched_until > now() or resent_at is not null)) as "broadcasts",
  exists (select from deliveries where due_at is not null) as "delivery",
  exists (select from channel_directory) as "channels",
  exists (select from channels where check_due_at <= now()) as "channelChecks",
  exists (select from channel_polls where due_at <= now()) as "channelPolls",
  exists (select from provider_events where due_at <= now()) as "parkedReceipts"
