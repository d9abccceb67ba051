import type { Db, Tx } from '../../../platform/database/db.ts'
import type { ContactId } from '../../../platform/ids.ts'
import type { ContactAddress, OnChannel } from './address-store.ts'

type Ref = OnChannel & { contactId: ContactId }

/** The number of a contact. A simulated one has none, whatever is written there: nobody is called by it. */
export async function readPhone(
  db: Db,
  { accountId, contactId }: Pick<Ref, 'accountId' | 'contactId'>,
): Promise<string | null> {
  const row = await db
    .selectFrom('contacts')
    .select('phone')
    .where('accountId', '=', accountId)
    .where('id', '=', contactId)
    .where('isSimulated', '=', false)
    .executeTakeFirst()
  return row?.phone ?? null
}

/** By which address a contact is written to on a channel. */
export async function readWrittenTo(
  db: Db,
  { accountId, contactId, channelId }: Ref,
): Promise<ContactAddress | undefined> {
  return db
    .selectFrom('contactChannels')
    .select(['addressKind as kind', 'address'])
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .where('channelId', '=', channelId)
    .executeTakeFirst()
}

/** A contact is written to by this address from now on, where nothing is known of them on the channel. */
export async function writeTo(
  tx: Tx,
  { accountId, contactId, channelId }: Ref,
  { kind, address }: ContactAddress,
): Promise<void> {
  await tx
    .insertInto('contactChannels')
    .values({ accountId, contactId, channelId, addressKind: kind, address })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
