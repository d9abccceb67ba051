import type { Tx } from '../../../platform/database/db.ts'
import type { ContactId } from '../../../platform/ids.ts'
import { attachAddresses, type ContactAddress, findByAddress, type OnChannel } from './address-store.ts'
import { readPhone, readWrittenTo, writeTo } from './phone-store.ts'

/**
 * The address by which a contact is written to on a channel that may write first to phone numbers: the one that they have there, or
 * their phone number, which is theirs there from now on. Nobody else gets it: whom the channel knows by it already is said.
 *
 * Lock order: after the contact, before its conversation, as for a message that comes in.
 */
export async function attachPhone(
  tx: Tx,
  ref: OnChannel & { contactId: ContactId },
): Promise<ContactAddress | 'no phone' | { takenBy: ContactId }> {
  const known = await readWrittenTo(tx, ref)
  if (known) return known
  const phone = await readPhone(tx, ref)
  if (phone === null) return 'no phone'
  const address = { kind: 'phone', address: phone }
  for (;;) {
    const holder = await findByAddress(tx, ref, [address])
    if (holder !== undefined && holder !== ref.contactId) return { takenBy: holder }
    // Not attached: somebody has got it since it was looked for.
    if (holder === ref.contactId || (await attachAddresses(tx, ref, [address]))) break
  }
  await writeTo(tx, ref, address)
  return address
}
