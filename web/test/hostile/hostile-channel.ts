import { writeFinding } from '../../../server/src/journey/channels/store.ts'
import { keepRaw } from '../../../server/src/journey/provider-events/event-store.ts'
import { makeChannel, writeOverChannel } from '../../../server/test/helpers/tenants.ts'
import type { Site } from '../helpers/site.ts'
import { payloads } from './payloads.ts'

export type HostileChannel = { id: string; messageId: string }

/** A built-in channel whose provider says payloads: in its name, in what was found, about a message, and in what nobody can read. */
export async function makeHostileChannel({ app, account }: Site, contactId: string): Promise<HostileChannel> {
  const { db } = app
  const { accountId } = account
  const id = await makeChannel(db, accountId, payloads.attributes)
  const check = { name: 'receiving', state: 'failing', sentence: `${payloads.links}. ${payloads.frames}` } as const
  const found = { attentionReason: 'cannot be reached', state: 'attention', hookUrl: null } as const
  const checks = [{ ...check, quote: payloads.elements, reportsTo: payloads.lookalikes }]
  await db
    .transaction()
    .execute((tx) => writeFinding(tx, { accountId, id }, { ...found, checks, nextInSeconds: 9_999 }))
  await keepRaw(db, { accountId, id }, { why: payloads.frames, raw: { text: payloads.remote } })
  const messageId = await writeOverChannel(db, { accountId, contactId, channel: id, mark: payloads.word })
  const said = { errorCategory: 'provider_error', errorDetail: payloads.elements, errorHttpStatus: 400 }
  await db.updateTable('deliveries').set(said).where('receiverId', '=', id).execute()
  await db.updateTable('deliveryParts').set({ errorCode: '400', errorDetail: payloads.remote }).execute()
  return { id, messageId }
}
