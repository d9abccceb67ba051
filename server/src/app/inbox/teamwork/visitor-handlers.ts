import type { Handlers } from '../../../business/sessions/handlers.ts'
import { conversationOf } from '../../../journey/conversations/take-over.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { Hint } from '../../../platform/notify/hints.ts'
import { changeAndShow } from '../conversations/show.ts'
import { blockVisitor, canBeSeenWriting, unblockVisitor } from './block.ts'
import { keepContact } from './keep-contact.ts'

type Routes = `POST /api/conversations/:contactId/${'block' | 'unblock' | 'keep' | 'typing'}`

/** What a team does with visitors of a website. */
export function visitorHandlers({ db, hint }: Readonly<{ db: Db; hint: Hint }>): Pick<Handlers, Routes> {
  return {
    'POST /api/conversations/:contactId/block': ({ session, params, body: { channelId, alsoNetwork }, by }) =>
      changeAndShow(db, session, params, async (ref) => {
        await blockVisitor(db, ref, { channelId, userId: session.userId, by })
        if (alsoNetwork) hint(ref.accountId, `bar-network:${ref.contactId}`)
      }),
    'POST /api/conversations/:contactId/unblock': ({ session, params, body: { channelId }, by }) =>
      changeAndShow(db, session, params, (ref) => unblockVisitor(db, ref, { channelId, userId: session.userId, by })),
    'POST /api/conversations/:contactId/keep': ({ session, params, by }) =>
      changeAndShow(db, session, params, (ref) => keepContact(db, ref, { userId: session.userId, by })),
    'POST /api/conversations/:contactId/typing': async ({ session, params, body: { channelId } }) => {
      const ref = conversationOf(session.accountId, params.contactId)
      if (await canBeSeenWriting(db, { ...ref, channelId })) hint(ref.accountId, `person-writes:${ref.contactId}`)
      return { done: true }
    },
  }
}
