/** The inbox: the list of conversations (`conversations/`), the messages of one (`thread/`), and what a user does. */

import { hash } from 'node:crypto'
import type { Handlers } from '../../business/sessions/handlers.ts'
import type { Session } from '../../business/sessions/session-store.ts'
import { noConversation } from '../../journey/conversations/conversation-store.ts'
import { conversationOf, handBack, reply, replyByOf, takeOver } from '../../journey/conversations/take-over.ts'
import { sayArrived, sayFine, sendAgain } from '../../journey/delivery/doubt/end-doubt.ts'
import { dropFile, keepOutgoingFile } from '../../journey/media/outgoing/keep-file.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Db } from '../../platform/database/db.ts'
import type { IdempotencyKey } from '../../platform/idempotency/idempotency.ts'
import type { MessageId, UserId } from '../../platform/ids.ts'
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
  | `POST /api/conversations/:contactId/${'replies' | 'takeover' | 'handback'}`
  | `POST /api/conversations/:contactId/messages/:messageId/${'arrived' | 'fine' | 'again'}`
  | 'POST /api/conversations/:contactId/files'
  | 'DELETE /api/conversations/:contactId/files/:fileId'
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
    'POST /api/conversations/:contactId/replies': async ({ session, params, body: asked }) => {
      const { body = '', channelId, fileId, clientId } = asked
      const { accountId, userId } = session
      const ref = conversationOf(accountId, params.contactId)
      const by = replyByOf(channelId)
      const idempotencyKey = keyOf(userId, clientId, { contactId: ref.contactId, body, by, fileId })
      const { messageId } = await reply({ db, wakeDelivery }, ref, { body, by, fileId, userId, idempotencyKey })
      return showOne(thread, accountId, messageId)
    },
    'POST /api/conversations/:contactId/files': async ({ session, params, query, http }) => {
      const { contactId } = conversationOf(session.accountId, params.contactId)
      const bytes = Buffer.isBuffer(http.body) ? http.body : Buffer.alloc(0)
      return keepOutgoingFile(db, { ...session, contactId }, { ...query, bytes })
    },
    'DELETE /api/conversations/:contactId/files/:fileId': async ({ session, params }) => {
      const ref = conversationOf(session.accountId, params.contactId)
      await dropFile(db, ref, params.fileId)
      return { done: true }
    },
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

/** What was left out is not in the hash. */
type HashedReply = { contactId: string; body: string; by: string | undefined; fileId: string | undefined }

/** A user's browser makes `clientId` once for each reply, and sends it again when it has got no answer. */
function keyOf(userId: UserId, clientId: string, reply: HashedReply): IdempotencyKey {
  const bodyHash = hash('sha256', JSON.stringify(reply), 'buffer')
  return { endpoint: 'POST /api/conversations/replies', key: `${userId} ${clientId}`, bodyHash }
}
