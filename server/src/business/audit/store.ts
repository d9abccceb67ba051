import type { Act } from '@patchbay/contract/app/audit.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import { type AccountId, type AuditId, newId, type UserId } from '../../platform/ids.ts'

/** Who did it: a user of the account, its agency, its API key, the operator at the command line, or nobody known. */
export type Actor =
  | { kind: 'user'; userId: UserId }
  | { kind: 'agency'; agencyId: AccountId }
  | { kind: 'key' | 'operator' | 'nobody' }

/** Who did it, and from which address. */
export type By = Readonly<{ actor: Actor; address: string | null }>

/** The operator at the command line. */
export const operator: By = { actor: { kind: 'operator' }, address: null }

/** Details of an event: never a secret, and of a contact only the id. */
type Details = Record<string, string | number>

export type NewEvent = By & { act: Act; details?: Details }

/** Writes down who did what: in the transaction that does it, so that neither is there without the other. */
export async function noteAct(db: Db, accountId: AccountId, event: NewEvent): Promise<void> {
  const { act, actor, details = {}, address } = event
  await sql`
    insert into audit_events (account_id, id, act, actor_kind, actor_id, actor_name, details, address)
    values (
      ${accountId}, ${newId('aud')}, ${act}, ${actor.kind}, ${'userId' in actor ? actor.userId : null}, ${nameOf(accountId, actor)},
      ${JSON.stringify(details)}, ${address}
    )
  `.execute(db)
}

/** The name as it is at this moment: it does not change when somebody is renamed or removed. */
function nameOf(accountId: AccountId, actor: Actor) {
  if (actor.kind === 'user') {
    return sql`(
      select coalesce(name, split_part(email, '@', 1)) from users where account_id = ${accountId} and id = ${actor.userId}
    )`
  }
  if (actor.kind !== 'agency') return sql`null`
  return sql`(
    select coalesce(a.name, u.email) from accounts a join users u on u.account_id = a.id and u.is_holder
    where a.id = ${actor.agencyId}
  )`
}

export type AuditRow = {
  id: AuditId
  at: Date
  act: Act
  actorKind: Actor['kind']
  actorName: string | null
  details: Details
  address: string | null
}

type AuditQuery = { acts: Act[] | undefined; q: string | undefined; before: string | undefined; limit: number }

/**
 * The events, newest first: ids sort by age. `q`, in lower case, is a part of a name, an act, an address or a detail.
 * Grants by API key are read from the ledger, which has them for ever and cannot be changed (decision 43).
 */
export async function readAudit(db: Db, accountId: AccountId, wanted: AuditQuery): Promise<AuditRow[]> {
  const { acts, before, limit } = wanted
  const written = sql`
    select id, at, act, actor_kind, actor_name, details, address from audit_events
    where account_id = ${accountId}
      ${acts === undefined ? sql`` : sql`and act = any (${acts}::text[])`}
      ${before === undefined ? sql`` : sql`and id < ${before}`}`
  const all = acts === undefined || acts.includes('credits granted')
  const parts = [written, ...(all ? grantsByKey(accountId, before) : [])].map(
    (part) => sql`(select * from (${part}) as e ${found(wanted.q)} order by id desc limit ${limit})`,
  )
  const { rows } = await sql<AuditRow>`
    select * from (${sql.join(parts, sql` union all `)}) as e order by id desc limit ${limit}
  `.execute(db)
  return rows
}

const found = (q: string | undefined) =>
  q === undefined ? sql`` : sql`where strpos(lower(concat_ws(' ', actor_name, act, address, details::text)), ${q}) > 0`

/** Grants as they look in the audit of the agency, and in that of the sub-account. An account is one or the other. */
function grantsByKey(accountId: AccountId, before: string | undefined): RawBuilder<unknown>[] {
  const grant = sql`jsonb_build_object('email', u.email, 'entryId', l.id, 'credits', trim_scale(l.amount / 10000.0))`
  const columns = sql`'aud_' || substr(l.id, 5) as id, l.created_at as at, 'credits granted' as act`
  const holder = sql`left join users u on u.account_id = l.account_id and u.is_holder`
  const kept = sql`l.kind = 'grant' and l.actor = 'api' and l.created_at > now() - ${keptFor}::interval
      ${before === undefined ? sql`` : sql`and l.id < ${`led_${before.slice(4)}`}`}`
  const made = sql`
    select ${columns}, 'key' as actor_kind, null as actor_name,
      jsonb_build_object('accountId', l.account_id) || ${grant} as details, null as address
    from ledger l ${holder} where l.payer_id = ${accountId} and ${kept}`
  const received = sql`
    select ${columns}, 'agency' as actor_kind, coalesce(a.name, o.email) as actor_name, ${grant} as details, null as address
    from ledger l ${holder}
    left join accounts a on a.id = l.payer_id left join users o on o.account_id = l.payer_id and o.is_holder
    where l.account_id = ${accountId} and ${kept}`
  return [made, received]
}

/** For how long the audit has grants, which are in the ledger for ever. */
const keptFor = '1 year'
