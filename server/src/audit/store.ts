import type { Act } from '@patchbay/contract/app/audit.ts'
import { sql } from 'kysely'
import type { Db } from '../platform/database/db.ts'
import { deleteInBatches } from '../platform/database/prune.ts'
import { type AccountId, newId, type UserId } from '../platform/ids.ts'

/** Who did it: a user of the account, its agency, its API key, the operator at the command line, or nobody known. */
export type Actor =
  | { kind: 'user'; userId: UserId }
  | { kind: 'agency'; agencyId: AccountId }
  | { kind: 'key' | 'operator' | 'nobody' }

/** Who did it, and from which address. */
export type By = Readonly<{ actor: Actor; address: string | null }>

/** Never a secret, and of a contact only the id. */
type Details = Record<string, string | number>

type NewEvent = By & { act: Act; details?: Details }

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

/** As it is at this moment: it does not change when somebody is renamed or removed. */
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

const keptFor = '1 year'

export async function pruneAudit(db: Db): Promise<number> {
  return deleteInBatches(
    db,
    (limit) => sql`
      delete from audit_events where (account_id, id) in (
        select account_id, id from audit_events where at < now() - ${keptFor}::interval order by at limit ${limit}
      )
    `,
  )
}
