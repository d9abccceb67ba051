import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'

export type Breach = {
  /** What must hold, in words. */
  invariant: string
  /** The account that violates it; null when it concerns no single account. */
  accountId: AccountId | null
  detail: string
}

/** When the whole ledger was last checked, and how many violations there were. */
export type LastCheck = { at: Date; breaches: number }

export async function writeLastCheck(db: Db, breaches: number): Promise<void> {
  await sql`update installation set ledger_checked_at = now(), ledger_breaches = ${breaches}`.execute(db)
}

/** The last check; undefined: it was never checked. */
export async function readLastCheck(db: Db): Promise<LastCheck | undefined> {
  const { rows } = await sql<LastCheck>`
    select ledger_checked_at as at, ledger_breaches as breaches from installation where ledger_checked_at is not null
  `.execute(db)
  return rows[0]
}

/** Violations reported of one invariant: the first few are enough. */
const mostReported = 20

/**
 * Checks every invariant of the ledger. Each is one query for its violations; run it in a repeatable read transaction,
 * so that all queries see the same snapshot. Nobody waits for it, so it takes one processor and no more.
 */
export async function findBreaches(tx: Tx): Promise<Breach[]> {
  await sql`set local statement_timeout = 0`.execute(tx)
  await sql`set local max_parallel_workers_per_gather = 0`.execute(tx)
  const breaches: Breach[] = []
  for (const [invariant, query] of Object.entries(invariants)) {
    breaches.push(...(await findViolations(tx, query)).map((violation) => ({ invariant, ...violation })))
  }
  return breaches
}

async function findViolations(tx: Tx, query: RawBuilder<unknown>): Promise<Omit<Breach, 'invariant'>[]> {
  const found = sql<Omit<Breach, 'invariant'>>`
    select account_id, detail from (${query}) as v (account_id, detail) order by 1, 2 limit ${mostReported}
  `
  return (await found.execute(tx)).rows
}

/** The change of each side of every movement, by account and purse. */
const sides = sql`
  select account_id, payer_id as owner, payer_purse as purse, -amount as change from ledger
  union all
  select account_id, payee_id, payee_purse, amount from ledger`

const invariants: Record<string, RawBuilder<unknown>> = {
  'a balance is the sum of its history': sql`
    select account_id, format('the balance is %s units, the history adds up to %s', b.balance, s.balance)
    from (select account_id, balance from balances) as b
    full join (
      select account_id, sum(change) as balance from (${sides}) as e where purse = 'credits' group by account_id
    ) as s using (account_id)
    where coalesce(b.balance, 0) <> coalesce(s.balance, 0) or b.balance is null`,

  'nothing comes from nowhere: balances, issuance and usage add up to zero': sql`
    select null, format('they add up to %s units', in_all)
    from (
      select coalesce((select sum(balance) from balances), 0)
        + coalesce((select sum(change) from (${sides}) as e where purse <> 'credits'), 0) as in_all
    ) as a
    where in_all <> 0`,

  'no balance is below zero, and no amount is zero or less': sql`
    select account_id, format('the balance is %s units', balance) from balances where balance < 0
    union all
    select account_id, format('%s moves %s units and leaves %s', id, amount, balance_after)
    from ledger where amount <= 0 or balance_after < 0`,

  'what is held is the sum of all holds, and never more than the balance': sql`
    select account_id, format('%s units are held of %s, and the holds add up to %s', b.held, b.balance, h.held)
    from (select account_id, held, balance from balances) as b
    full join (select account_id, sum(amount) as held from holds group by account_id) as h using (account_id)
    where coalesce(b.held, 0) <> coalesce(h.held, 0) or b.held < 0 or b.held > b.balance or b.account_id is null`,

  'credits are held only for answers that are owed': sql`
    select account_id, format('%s units for message %s of %s', amount, from_seq, contact_id)
    from holds h
    where not exists (
      select from turns t
      where t.account_id = h.account_id and t.contact_id = h.contact_id and t.from_seq = h.from_seq
    )`,

  'each movement leaves what the one before left, and its own amount more or less': sql`
    select account_id, format('%s leaves %s units after %s', id, balance_after, before)
    from (
      select *, lag(balance_after, 1, 0::bigint) over (partition by account_id order by n) as before from ledger
    ) as l
    where balance_after <> before + case when payer_purse = 'credits' then -amount else amount end`,

  'movements are numbered without gaps, and none is missing at the end': sql`
    select account_id, format('of %s movements, %s are there, the last has number %s', b.version, l.times, l.last)
    from (select account_id, version from balances) as b
    full join (select account_id, count(*) as times, max(n) as last from ledger group by account_id) as l
      using (account_id)
    where coalesce(b.version, 0) <> coalesce(l.times, 0) or coalesce(b.version, 0) <> coalesce(l.last, 0)`,

  'no movement is ever changed or removed': sql`
    select null, 'the trigger that refuses it is not there, or not always on'
    where not exists (
      select from pg_trigger
      where tgrelid = 'ledger'::regclass and tgname = 'ledger_never_changes' and tgenabled = 'A'
    )`,

  'a reversal is the same movement the other way round, once': sql`
    select r.account_id, format('%s says that it reverses %s', r.id, r.reverses)
    from ledger r left join ledger w on w.account_id = r.account_id and w.id = r.reverses
    where r.reverses is not null and (
      w.id is null or w.kind = 'reversal' or w.amount <> r.amount
      or (w.payer_id, w.payer_purse, w.payee_id, w.payee_purse) <> (r.payee_id, r.payee_purse, r.payer_id, r.payer_purse)
    )
    union all
    select account_id, format('%s is reversed %s times', reverses, count(*))
    from ledger where reverses is not null group by account_id, reverses having count(*) > 1`,

  'an answer is charged once': sql`
    select account_id, format('message %s of %s is charged %s times', from_seq, contact_id, count(*))
    from ledger where contact_id is not null group by account_id, contact_id, from_seq having count(*) > 1`,

  "an agency's key has made one grant, and one of its own": sql`
    select k.account_id, format('%s has made %s', k.key, k.entry_id)
    from grant_keys k left join ledger l on l.account_id = k.sub_account_id and l.id = k.entry_id
    where l.id is null or l.kind <> 'grant' or l.payer_id <> k.account_id
    union all
    select min(account_id), format('%s was made by %s keys', entry_id, count(*))
    from grant_keys group by entry_id having count(*) > 1`,

  'credits stay between an agency and its own sub-accounts': sql`
    select e.account_id, format('%s %s', e.owner, e.purse)
    from (${sides}) as e left join accounts a on a.id = e.account_id
    where a.kind is distinct from 'subaccount'
      or e.owner <> case when e.purse = 'issuance' then a.agency_id else a.id end
    group by e.account_id, e.owner, e.purse`,
}
