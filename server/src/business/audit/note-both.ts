import type { Tx } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { type NewEvent, noteAct } from './store.ts'

/** Writes down what an agency, or the operator, did to a sub-account: for both of them, with its e-mail address. */
export async function noteBoth(
  tx: Tx,
  { agencyId, accountId }: { agencyId: AccountId; accountId: AccountId },
  { act, actor, address, details }: NewEvent,
): Promise<void> {
  const holder = await tx
    .selectFrom('users')
    .select('email')
    .where('accountId', '=', accountId)
    .where('isHolder', '=', true)
    .executeTakeFirst()
  const seen = { email: holder?.email ?? '', ...details }
  await noteAct(tx, agencyId, { act, actor, address, details: { accountId, ...seen } })
  // To a sub-account, whoever acts for its agency is the agency.
  const acted = actor.kind === 'user' ? { kind: 'agency' as const, agencyId } : actor
  await noteAct(tx, accountId, { act, actor: acted, address, details: seen })
}
