/**
 * Entry of the simulator: the app plays the external platform. Its contacts are marked as simulated; their messages come
 * in like any other, and their replies go to a simulated receiver (`journey/delivery/transports/simulator/simulate.ts`).
 */

import type { Behaviour } from '@patchbay/contract/app/simulator.ts'
import { given } from '@patchbay/contract/text.ts'
import type { Handlers } from '../../business/sessions/handlers.ts'
import { conversationOf } from '../../journey/conversations/take-over.ts'
import type { Receive } from '../../journey/intake/receive.ts'
import type { Db } from '../../platform/database/db.ts'
import { eraseContact } from '../removal/erasure/erase-contact.ts'
import { listEvents } from './events-store.ts'
import { makeSimulated } from './make-contact.ts'
import { findSimulator, listSimulated, saveBehaviour } from './simulator-store.ts'
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
    'PUT /api/simulator/behaviour': async ({ session, body }) => {
      const behaviour: Behaviour = body.behaviour
      const timesLeft = behaviour === 'ok' ? null : (body.times ?? null)
      const { accountId } = session
      await db.transaction().execute((tx) => saveBehaviour(tx, { accountId, behaviour, timesLeft }))
      ctx.wakeDelivery()
      return findSimulator(db, session.accountId)
    },
    'DELETE /api/simulator': async ({ session: { accountId }, by }) => {
      for (const contactId of await listSimulated(db, accountId)) await eraseContact(ctx, { accountId, contactId }, by)
      await db.transaction().execute((tx) => saveBehaviour(tx, { accountId, behaviour: 'ok', timesLeft: null }))
      return { done: true }
    },
  }
}
