/**
 * Entry of the simulator: the app plays the external platform. Its contacts are marked as simulated; their messages come
 * in like any other, and their replies go to a simulated receiver (`journey/delivery/transports/simulator/simulate.ts`).
 */

import { randomUUID } from 'node:crypto'
import { given } from '@patchbay/contract/text.ts'
import type { Handlers } from '../../business/sessions/handlers.ts'
import { conversationOf } from '../../journey/conversations/take-over.ts'
import { newSecret, sealContextOf } from '../../journey/delivery/transports/webhook/signing-keys.ts'
import type { Receive } from '../../journey/intake/receive.ts'
import { simulator } from '../../outbox/receivers.ts'
import type { Db } from '../../platform/database/db.ts'
import { type AccountId, type ContactId, newId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { seal } from '../../platform/secrets/seal.ts'
import { eraseContact } from '../removal/erasure/erase-contact.ts'
import {
  findSimulator,
  insertReceiver,
  insertSimulated,
  listEvents,
  listSimulated,
  saveBehaviour,
} from './simulator-store.ts'
import { requireSimulated, writeAs } from './write-as.ts'

type Ctx = Readonly<{ db: Db; secretKey: Buffer; receive: Receive; wakeDelivery: () => void }>
type Routes = Extract<keyof Handlers, `${string} /api/simulator${string}`>

export function simulatorHandlers(ctx: Ctx): Pick<Handlers, Routes> {
  const { db } = ctx
  return {
    'GET /api/simulator': ({ session }) => findSimulator(db, session.accountId),
    'POST /api/simulator/contacts': async ({ session, body }) => ({
      contactId: await makeSimulated(ctx, session.accountId, {
        firstName: body.firstName.trim(),
        channel: given(body.channel)?.trim() || 'Simulator',
      }),
    }),
    'POST /api/simulator/contacts/:contactId/messages': ({ session, params, body }) =>
      writeAs(ctx, conversationOf(session.accountId, params.contactId), body),
    'GET /api/simulator/contacts/:contactId/events': async ({ session, params }) => {
      const ref = conversationOf(session.accountId, params.contactId)
      await requireSimulated(db, ref)
      return { events: await listEvents(db, ref) }
    },
    'PUT /api/simulator/behaviour': async ({ session: { accountId }, body: { behaviour, times = null } }) => {
      const timesLeft = behaviour === 'ok' ? null : times
      await db.transaction().execute((tx) => saveBehaviour(tx, { accountId, behaviour, timesLeft }))
      ctx.wakeDelivery()
      return findSimulator(db, accountId)
    },
    'DELETE /api/simulator': async ({ session: { accountId }, by }) => {
      for (const contactId of await listSimulated(db, accountId)) await eraseContact(ctx, { accountId, contactId }, by)
      await db.transaction().execute((tx) => saveBehaviour(tx, { accountId, behaviour: 'ok', timesLeft: null }))
      return { done: true }
    },
  }
}

const mostContacts = 20

/**
 * Makes a simulated contact with an empty conversation, and the simulated receiver if there is none yet. Its external id
 * is random, so that it never meets a contact of a real platform.
 */
async function makeSimulated(
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
