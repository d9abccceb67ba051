export type Reviewed = { file: string; reason: string; statements: string[] }

/** Of stages that take turns between accounts. */
export const reviewedOfStages: Reviewed[] = [
  {
    file: 'server/src/answers/knowledge/entries/store.ts',
    reason:
      'A worker embeds the texts of all accounts; each row carries its account, and the vectors are saved by account, campaign and entry: the campaigns are limited by (account_id, id) in the given rows.',
    statements: ['e308694d with given as ( select * from unnest( {column((row) => row.a'],
  },
  {
    file: 'server/src/answers/knowledge/entries/missing-store.ts',
    reason: 'A worker embeds the texts of all accounts, one account after the other; each row carries its account.',
    statements: [
      'f67234aa ( exists (select from entry_texts where model is null) or ex',
      'b302e0b2 (select account_id from entry_texts where model is null and',
      '26f71eab select t.account_id, t.entry_id, t.n, t.text, (select campai',
    ],
  },
  {
    file: 'server/src/answers/knowledge/unanswered/retry-store.ts',
    reason: 'A worker looks for a campaign of any account whose knowledge changed; the row carries its account.',
    statements: [
      '5c71be3e exists (select from campaigns where knowledge_version <> una',
      'f5191274 not exists (select from entry_texts t where t.account_id = c',
      'eec727b3 select account_id, id as campaign_id, knowledge_version, set',
    ],
  },
  {
    file: 'server/src/app/removal/erasure/erasure-store.ts',
    reason:
      'A worker claims an erasure of any account whose lease ran out; the row that it returns carries its account.',
    statements: ['7fc796e0 update erasures set leased_until = {lease} where ctid = any'],
  },
  {
    file: 'server/src/journey/channels/store.ts',
    reason:
      'A worker claims channels of all accounts that are to be looked at; each row that it returns carries its account. Whether there is any is all that is asked otherwise.',
    statements: [
      "3dfed2c3 update channels set check_due_at = now() + interval '2 minut",
      '902d5724 exists (select from channels where check_due_at <= now())',
      '317ec051 exists (select from channel_directory)',
    ],
  },
  {
    file: 'server/src/journey/channels/store.ts',
    reason:
      'The account of a hook is found out by the channel in its path, before its secret is compared; the operator is told of channels of all accounts, each row with its account.',
    statements: [
      'e40e3c3c select account_id, channel_id as id, kind from channel_direc',
      '0bc8eda9 select c.account_id, c.id, c.address, c.state, c.attention_r',
      "44021926 select c.account_id, c.id from channels c where c.state <> '",
    ],
  },
  {
    file: 'server/src/journey/provider-events/poll/poll-store.ts',
    reason:
      'A worker claims channels of all accounts to fetch from; each row that it returns carries its account. When it starts, all of those whose provider calls are due.',
    statements: [
      '7d3c9212 exists (select from channel_polls where due_at <= now())',
      '11c766f4 select from channel_polls q join channels c on c.account_id',
      '4033a933 update channel_polls p set lease_token = gen_random_uuid(),',
      '43afc8b0 update channel_polls p set due_at = now() from channels c wh',
    ],
  },
  {
    file: 'server/src/journey/provider-events/parked/parked-store.ts',
    reason: 'A worker claims parked receipts of all accounts; each row that it returns carries its account.',
    statements: [
      'b20a8602 exists (select from provider_events where due_at <= now())',
      "b083f85a update provider_events set due_at = now() + interval '30 s',",
    ],
  },
  {
    file: 'server/src/journey/provider-events/event-store.ts',
    reason: 'What is kept for a limited time is deleted in all accounts.',
    statements: ['bc1b6266 delete from provider_events where ctid = any (array( select'],
  },
  {
    file: 'server/src/journey/channels/own-store.ts',
    reason: 'What is kept for a limited time is deleted in all accounts.',
    statements: ['30ebaeb9 delete from chat_days where ctid = any (array( select ctid f'],
  },
  {
    file: 'server/src/journey/channels/own-store.ts',
    reason: 'Doctor asks whether any account has a website chat, and learns no more than that.',
    statements: ['3d273935 select from channel_directory where kind <> all ({[...provid'],
  },
  {
    file: 'server/src/journey/media/outgoing/outgoing-store.ts',
    reason: 'Files that nobody has sent in time are deleted in all accounts, the bytes of each within its own.',
    statements: ['ab4f7776 delete from outgoing_files where ctid = any (array( select c'],
  },
  {
    file: 'server/src/journey/broadcasts/record/store.ts',
    reason: 'A worker asks whether any account has a broadcast to go on with; it learns nothing else.',
    statements: ['b778f6f5 exists (select from broadcasts where {isActive})'],
  },
  {
    file: 'server/src/people/imports/due-store.ts',
    reason:
      'A worker claims imports of all accounts; each row that it returns carries its account. What is kept for a limited time is deleted in all accounts, each import with its own rows.',
    statements: [
      "0a98ef06 exists (select from imports where state in ('reading', 'chec",
      '6222128a update imports set leased_until = {lease}, lease = {token},',
      '00a78c99 delete from import_errors where ctid = any (array( select e.',
      'f206a9f5 delete from imports where ctid = any (array( select ctid fro',
    ],
  },
]
