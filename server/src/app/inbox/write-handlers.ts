import { hash } from 'node:crypto'
import type { Handlers } from '../../business/sessions/handlers.ts'
import { conversationOf, reply, replyByOf } from '../../journey/conversations/take-over.ts'
import { dropFile, keepOutgoingFile } from '../../journey/media/outgoing/keep-file.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Db } from '../../platform/database/db.ts'
import type { IdempotencyKey } from '../../platform/idempotency/idempotency.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { showWaysTo } from './conversations/reply-ways.ts'
import { showOne } from './thread/show-thread.ts'

type Ctx = Readonly<{ db: Db; config: Config; wakeDelivery: () => void; hint: Hint }>

type Routes =
  | 'GET /api/ways'
  | `POST /api/conversations/:contactId/${'replies' | 'files'}`
  | 'DELETE /api/conversations/:contactId/files/:fileId'

/** Writing to a contact: by which way, with which file. */
export function writeHandlers({ db, config, wakeDelivery, hint }: Ctx): Pick<Handlers, Routes> {
  const thread = { db, maxAttempts: config.delivery.retrySeconds.length + 1 }
  return {
    'GET /api/ways': ({ session, query }) => showWaysTo(db, session.accountId, query),
    'POST /api/conversations/:contactId/replies': async ({ session, params, body: asked }) => {
      const { body = '', channelId, fileId, clientId } = asked
      const { accountId, userId } = session
      const ref = conversationOf(accountId, params.contactId)
      const by = replyByOf(channelId)
      const idempotencyKey = keyOf(userId, clientId, { contactId: ref.contactId, body, by, fileId })
      const { messageId } = await reply({ db, wakeDelivery, hint }, ref, { body, by, fileId, userId, idempotencyKey })
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
  }
}

/** What was left out is not in the hash. */
type HashedReply = { contactId: string; body: string; by: string | undefined; fileId: string | undefined }

/** A user's browser makes `clientId` once for each reply, and sends it again when it has got no answer. */
function keyOf(userId: UserId, clientId: string, reply: HashedReply): IdempotencyKey {
  const bodyHash = hash('sha256', JSON.stringify(reply), 'buffer')
  return { endpoint: 'POST /api/conversations/replies', key: `${userId} ${clientId}`, bodyHash }
}
