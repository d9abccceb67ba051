/** What changes the credits of a sub-account, written down for the agency and for the sub-account. */
import type { Account } from '../../business/accounts/store.ts'
import { noteBoth } from '../../business/audit/note-both.ts'
import type { By } from '../../business/audit/store.ts'
import { creditsOf } from '../../business/credits/amount.ts'
import { type GrantRequest, grantWithin } from '../../business/credits/grant.ts'
import { setRecharge } from '../../business/credits/recharge.ts'
import { type ReversalRequest, reverseEntry } from '../../business/credits/reverse.ts'
import type { GrantEntry } from '../../business/credits/store.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'

/** A grant that its key has made before is not written down again. */
export async function grantCredits(tx: Tx, request: GrantRequest, by: By): Promise<GrantEntry> {
  const granted = await grantWithin(tx, request)
  const accounts = { agencyId: request.agency.id, accountId: granted.accountId }
  const details = { entryId: granted.entryId, credits: creditsOf(granted.amount) }
  if (granted.isNew) await noteBoth(tx, accounts, { act: 'credits granted', ...by, details })
  return granted
}

export async function takeBack(
  db: Db,
  account: Account,
  { by, ...request }: ReversalRequest & { by: By },
): Promise<Awaited<ReturnType<typeof reverseEntry>>> {
  return db.transaction().execute(async (tx) => {
    const reversed = await reverseEntry(tx, account.id, request)
    const details = { entryId: request.entry, credits: reversed.amount }
    await noteBoth(tx, bothOf(account), { act: 'movement reversed', ...by, details })
    return reversed
  })
}

export async function changeRecharge(
  db: Db,
  account: Account,
  { by, ...wanted }: Parameters<typeof setRecharge>[2] & { by: By },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await setRecharge(tx, account, wanted)
    await noteBoth(tx, bothOf(account), { act: 'recharge changed', ...by, details: wanted })
  })
}

function bothOf({ id, agencyId }: Account): { agencyId: AccountId; accountId: AccountId } {
  if (agencyId === null) throw new Error(`${id} is not a sub-account`)
  return { agencyId, accountId: id }
}
