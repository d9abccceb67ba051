/** The inbox: the list of conversations (`conversations/`), the messages of one (`thread/`), and what a user does. */

import type { Handlers } from '../../business/sessions/handlers.ts'
import type { Session } from '../../business/sessions/session-store.ts'
import { noConversation } from '../../journey/conversations/conversation-store.ts'
import { conversationOf, handBack, takeOver } from '../../journey/conversations/take-over.ts'
import { sayArrived, sayFine, sendAgain } from '../../journey/delivery/doubt/end-doubt.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Db } from '../../platform/database/db.ts'
import type { MessageId } from '../../platform/ids.ts'
import { countConversations } from './conversations/counts-store.ts'
import { letBotWrite } from './conversations/let-bot-write.ts'
import { listConversations } from './conversations/list.ts'
import { changeAndShow, showConversation } from './conversations/show.ts'
import { markRead } from './conversations/unread-store.ts'
import { showOne, showThread } from './thread/show-thread.ts'
import { showAnswer } from './thread/why.ts'

type Ctx = Readonly<{ db: Db; secretKey: Buffer; config: Config; wakeDelivery: () => void }>

type Routes =
  | 'GET /api/counts'
  | 'GET /api/conversations'
  | `GET /api/conversations/:contactId${'' | '/messages'}`
  | `POST /api/conversations/:contactId/${'takeover' | 'handback'}`
  | `POST /api/conversations/:contactId/messages/:messageId/${'arrived' | 'fine' | 'again'}`
  | `PUT /api/conversations/:contactId/${'read' | 'bot'}`
  | 'GET /api/messages/:messageId/answer'

export function inboxHandlers({ db, secretKey, config, wakeDelivery }: Ctx): Pick<Handlers, Routes> {
  const thread = { db, maxAttempts: config.delivery.retrySeconds.length + 1 }
  return {
    'GET /api/counts': ({ session }) => countConversations(db, session),
    'GET /api/conversations': ({ session, query }) => listConversations(db, session, query),
    'GET /api/conversations/:contactId': async ({ session, params }) => {
      const { contactId } = conversationOf(session.accountId, params.contactId)
      return showConversation(db, session, contactId)
    },
    'GET /api/conversations/:contactId/messages': async ({ session, params, query }) =>
      showThread(thread, conversationOf(session.accountId, params.contactId), query),
    'PUT /api/conversations/:contactId/read': async ({ session, params, body }) => {
      const { accountId, userId } = session
      const { contactId } = conversationOf(accountId, params.contactId)
      if (!(await markRead(db, { accountId, userId, contactId }, body.seq))) throw noConversation({ contactId })
      return { done: true }
    },
    'POST /api/conversations/:contactId/messages/:messageId/arrived': async ({ session, params }) => {
      await sayArrived(db, messageOf(session, params), session.userId)
      wakeDelivery()
      return showOne(thread, session.accountId, params.messageId as MessageId) // it was found by it
    },
    'POST /api/conversations/:contactId/messages/:messageId/fine': async ({ session, params }) => {
      await sayFine(db, messageOf(session, params), session.userId)
      return showOne(thread, session.accountId, params.messageId as MessageId) // it was found by it
    },
    'POST /api/conversations/:contactId/messages/:messageId/again': async ({ session, params }) => {
      await sendAgain(db, messageOf(session, params), session.userId)
      wakeDelivery()
      return showOne(thread, session.accountId, params.messageId as MessageId) // it was found by it
    },
    'POST /api/conversations/:contactId/takeover': ({ session, params }) =>
      changeAndShow(db, session, params, (ref) => takeOver(db, ref, session.userId)),
    'POST /api/conversations/:contactId/handback': ({ session, params, body: { answersOld } }) =>
      changeAndShow(db, session, params, (ref) => handBack(db, ref, { answersOld, userId: session.userId })),
    'PUT /api/conversations/:contactId/bot': ({ session, params, body: { mayWrite } }) =>
      changeAndShow(db, session, params, (ref) =>
        letBotWrite({ db, secretKey }, ref, { mayWrite, userId: session.userId }),
      ),
    'GET /api/messages/:messageId/answer': ({ session, params }) => showAnswer(db, session.accountId, params.messageId),
  }
}

function messageOf({ accountId }: Session, { contactId, messageId }: { contactId: string; messageId: string }) {
  return { ...conversationOf(accountId, contactId), messageId }
}
