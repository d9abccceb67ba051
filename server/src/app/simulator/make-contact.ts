import { randomUUID } from 'node:crypto'
import { newSecret } from '../../journey/delivery/transports/webhook/signature.ts'
import { sealContextOf } from '../../journey/delivery/transports/webhook/signing-keys.ts'
import { simulator } from '../../outbox/receivers.ts'
import type { Db } from '../../platform/database/db.ts'
import { type AccountId, type ContactId, newId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { seal } from '../../platform/secrets/seal.ts'
import { insertReceiver, insertSimulated, listSimulated } from './simulator-store.ts'

const mostContacts = 20

/**
 * Makes a simulated contact with an empty conversation, and the simulated receiver if there is none yet. Its external id
 * is random, so that it never meets a contact of a real platform.
 */
export async function makeSimulated(
  { db, secretKey }: { db: Db; secretKey: Buffer },
  accountId: AccountId,
  { firstName, channel }: { firstName: string; channel: string },
): Promise<ContactId> {
  const contactId = newId('con')
  const sealed = seal(secretKey, newSecret(), sealContextOf({ accountId, receiverId: simulator }))
  await db.transaction().execute(async (tx) => {
    await insertReceiver(tx, accountId, sealed)
    if ((await listSimulated(tx, accountId)).length >= mostContacts) {
      throw new Refusal('CONFLICT', `There are ${mostContacts} simulated contacts already; start over to erase them.`)
    }
    await insertSimulated(tx, { accountId, contactId, firstName, channel, externalId: `simulated-${randomUUID()}` })
  })
  return contactId
}
