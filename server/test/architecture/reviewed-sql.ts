import { type Reviewed, reviewedOfStages } from './reviewed-sql-of-stages.ts'

/**
 * Raw SQL that goes across accounts, or says the account in a way that the check of `raw-sql.test.ts` cannot read, each
 * with the reason why that is right. A statement is named by a digest of its text, so that a change is reviewed again;
 * the test prints the line to put here.
 */
export const reviewed: Reviewed[] = [
  ...reviewedOfStages,
  {
    file: 'server/src/business/accounts/store.ts',
    reason: 'Finds the account that an API key belongs to, by the hash of the key; the result is who calls.',
    statements: ['2deb4e25 select encode(k.key_hash, \'hex\') as "keyHash", a.id as "acco'],
  },
  {
    file: 'server/src/app/agency/store.ts',
    reason: 'The sub-accounts of an agency: the account of each is limited by its agency, which is the one that asks.',
    statements: ['a3b8f6bb select a.id, coalesce(a.name, u.email) as name, u.email, a.r'],
  },
  {
    file: 'server/src/app/alerts/fact-store.ts',
    reason:
      'A worker looks at all accounts with an alert address; each row carries its account, and what is read follows it.',
    statements: ['0cf26cf2 alerting as not materialized ( select e.account_id, e.url, e'],
  },
  {
    file: 'server/src/app/alerts/state-store.ts',
    reason:
      'Waiting conversations of accounts with an alert address: the condition that fixes the account of each is in `untold`.',
    statements: [
      'eea3d1dc with {alerting} select a.account_id from alerting a left joi',
      '6eacad14 with {alerting}, began as materialized ( select c.contact_id',
    ],
  },
  {
    file: 'server/src/business/sessions/session-store.ts',
    reason:
      "Finds who signs in by the e-mail address, and who is signed in by the token's hash; both find out the account. Ended sessions of all accounts are deleted, and streams of all accounts end with them.",
    statements: [
      '4d6b8246 select encode(s.token_hash, \'hex\') as "tokenHash", coalesce(',
      'bd59ecc1 with used as ( select token_hash, account_id, user_id from s',
      'a2d3dd3e select g.place, u.account_id as "accountId", u.id as "userId',
      "881e2345 select encode(s.token_hash, 'hex') as token_hash, coalesce(v",
      'c698d644 delete from sessions where token_hash in ( select token_hash',
    ],
  },
  {
    file: 'server/src/business/sessions/session-store.ts',
    reason:
      "Whether a session visits a sub-account: as the guest that its own user is there, and only while its own account is the sub-account's agency.",
    statements: ['0c476285 left join users g on g.id = s.guest_id and g.guest_of = u.id'],
  },
  {
    file: 'server/src/business/sessions/user-store.ts',
    reason: 'The name of the agency of the sub-account that asks, which may know it; its own sessions and links.',
    statements: ['bcefe8c2 select coalesce(g.name, gh.email) as agency_name, a.agency_l'],
  },
  {
    file: 'server/src/business/sessions/session-store.ts',
    reason: 'The guest of an agency in a sub-account, whose agency must be the account of the session.',
    statements: ['dd723fba insert into users (id, account_id, name, password_hash, is_o'],
  },
  {
    file: 'server/src/business/audit/store.ts',
    reason: 'The name of the agency that did something in its sub-account.',
    statements: ['f1783bbf ( select coalesce(a.name, u.email) from accounts a join user'],
  },
  {
    file: 'server/src/business/audit/store.ts',
    reason:
      'Grants by API key, for the agency that asks, which is their payer; and for the sub-account, with the name of the agency that paid.',
    statements: [
      "d11a7e54 select {columns}, 'key' as actor_kind, null as actor_name, j",
      "09f7f0ff select {columns}, 'agency' as actor_kind, coalesce(a.name, o",
    ],
  },
  {
    file: 'server/src/journey/bot/turns/claim-store.ts',
    reason:
      'A worker claims the turns of all accounts; each row that it returns carries its account, and is settled by it.',
    statements: [
      '8352c439 select account_id from turns where {which} and account_id >',
      "e1d2b519 (select case when bool_or(account_id is null) then '' else m",
      'ca30cfe6 with recursive leased as materialized ( select account_id, c',
    ],
  },
  {
    file: 'server/src/journey/broadcasts/results/answers-store.ts',
    reason:
      'A worker claims an account, of any, whose results are to be looked at; all that follows names that account.',
    statements: [
      '3f714059 exists (select from broadcast_marks where watched_until > no',
      '45300cf6 update broadcast_marks set looked_at = now() where ctid = an',
    ],
  },
  {
    file: 'server/src/business/credits/check-store.ts',
    reason: 'The nightly check of the whole ledger; it only reads, and reports to the operator.',
    statements: [
      'f1ceea2d select account_id, payer_id as owner, payer_purse as purse,',
      "cdc8b933 select account_id, format('the balance is %s units, the hist",
      "0325b542 select null, format('they add up to %s units', in_all) from",
      "af888e42 select account_id, format('the balance is %s units', balance",
      "59b91de9 select account_id, format('%s units are held of %s, and the",
      "aeed3f51 select account_id, format('%s units for message %s of %s', a",
      "8818a50b select account_id, format('%s leaves %s units after %s', id,",
      "3da2fe67 select account_id, format('of %s movements, %s are there, th",
      "d7476a33 select r.account_id, format('%s says that it reverses %s', r",
      "5d050e13 select account_id, format('message %s of %s is charged %s ti",
      "35a3c9e2 select k.account_id, format('%s has made %s', k.key, k.entry",
    ],
  },
  {
    file: 'server/src/business/credits/store.ts',
    reason:
      "A grant by an agency: the sub-account is found by its owner's e-mail address and must have this agency; a key is the agency's own, and a movement that was made before must have been paid by this agency.",
    statements: [
      'c70cb29b select g.n, \'granted\' as outcome, l.id as "entryId", l.accou',
      '44f64f35 with given as materialized ( select * from json_to_recordset',
    ],
  },
  {
    file: 'server/src/journey/delivery/claim/store.ts',
    reason:
      'A worker skips through the receivers of all accounts with due events; what it claims is limited to one account each.',
    statements: [
      '350faea7 exists (select from deliveries where due_at is not null)',
      '073b783f select account_id, receiver_id, due_at from deliveries where',
    ],
  },
  {
    file: 'server/src/app/inbox/teamwork/state-store.ts',
    reason: 'A worker opens the conversations of all accounts whose time has come, each with its own account.',
    statements: ['3d450420 with due as materialized ( select account_id, contact_id fro'],
  },
  {
    file: 'server/src/app/operations/status-store.ts',
    reason: 'Counts for the operator of the installation; no rows of an account are returned.',
    statements: [
      '2e44a7be select (select count(*)::integer from accounts) as accounts,',
      '40875eeb coalesce(( select greatest(0, extract(epoch from now() - min',
    ],
  },
  {
    file: 'server/src/journey/intake/removal-store.ts',
    reason: 'Which accounts have had messages removed: one batch stores messages of many accounts.',
    statements: ['d1c9c4b0 select account_id as id from retention_marks'],
  },
  {
    file: 'server/src/answers/knowledge/usage/usage-store.ts',
    reason:
      'A worker looks for campaigns of all accounts with answers to count, and counts each by its account; old counts of all accounts are deleted.',
    statements: [
      'c1559ece select c.account_id, c.id as campaign_id from campaigns c le',
      'd6a294fa delete from entry_uses where (account_id, entry_id, day) in',
    ],
  },
  {
    file: 'server/src/journey/media/fetch-store.ts',
    reason: 'A worker claims files to fetch of all accounts; each row carries its account, and is settled by it.',
    statements: [
      '20c09171 exists (select from attachments where due_at <= now())',
      '5baa6807 with due as ( select account_id, message_id, due_at from att',
    ],
  },
  {
    file: 'server/src/app/operations/queue-store.ts',
    reason:
      'Counts jobs and receivers of the whole installation for the operator, who sees numbers and no row of an account.',
    statements: [
      '47707c7e select kind, {channelState} as state, count(*)::integer as c',
      "12d307f5 with recursive {waitingReceivers} select 'turns' as queue, {",
      '578622f8 least( (select due_at from turns where lease_token is null o',
      'c202fc08 select recipients - open - sent - failed - opted_out - no_id',
      '04801148 (select due_at from attachments where due_at is not null ord',
      '3723ab2f (select count(*)::integer from (select from {rows} limit {mo',
      'ae94b43d receiver as ( (select 1 as n, account_id, receiver_id, due_a',
      '3e0cb7fc select state, count(id)::integer as receivers from (values (',
    ],
  },
  {
    file: 'server/src/platform/idempotency/idempotency.ts',
    reason: 'Deletes the expired keys of all accounts.',
    statements: ['67ba2d08 delete from idempotency_keys where ctid = any (array( select'],
  },
  {
    file: 'server/src/app/reports/count/delivery-store.ts',
    reason:
      'A worker looks at the deliveries of all accounts that have not arrived; each row carries its account, by which `present` reads the delivery. What changed is read again for one account, and settled there.',
    statements: [
      '2f150795 select * from ( select r.account_id, r.contact_id, r.message',
      '5c65bd7d select r.contact_id, r.message_id, r.channel, r.is_failed, f',
    ],
  },
  {
    file: 'server/src/app/reports/count/due-store.ts',
    reason:
      'A worker looks in all accounts for what is not in the reports yet; each row that it returns is an account, whose batch names it.',
    statements: ['42a736ce select a.id as account_id, (r.account_id is null or r.caught'],
  },
  {
    file: 'server/src/app/reports/sums/account-store.ts',
    reason: 'A worker moves the time of all accounts that have nothing to count; what is read of each follows its row.',
    statements: ["5de3b4ac update report_accounts r set counted_to = date_trunc('minute"],
  },
  {
    file: 'server/src/app/removal/retention/aged-store.ts',
    reason: 'One of a few tables, each with the account: a worker removes what is over, of one account at a time.',
    statements: [
      '19eef94e select true from {sql.raw(table)} where account_id = {accoun',
      '8dc60ec8 delete from {sql.raw(table)} where account_id = {accountId}',
    ],
  },
  {
    file: 'server/src/app/removal/retention/rule-store.ts',
    reason: 'A worker finds the accounts of which something is over; each row that it returns carries its account.',
    statements: ['2b710cc8 select a.id as account_id, a.before::text as before, {messag'],
  },
  {
    file: 'server/src/app/search/due-store.ts',
    reason:
      'A worker looks in all accounts for messages that are not in the search; each row that it returns carries its account, whose batch names it.',
    statements: [
      'f8f0d02d select a.id as account_id, d.active_at::text as oldest from',
      '09212879 select account_id, before_id from search_backfills order by',
    ],
  },
  {
    file: 'server/src/business/team/link-store.ts',
    reason: 'The token of a link says of which account it is; links of all accounts that have ended are deleted.',
    statements: ['ee7b2bdf delete from account_links where token_hash in ( select token'],
  },
  {
    file: 'server/src/business/team/link-store.ts',
    reason: 'Who made a link: a user of its account, else the agency of its account, whose name the account may know.',
    statements: ['0f996561 left join users m on m.account_id = l.account_id and m.id ='],
  },
]
