/** What a team does with conversations: assign, close, put off, note, tag; and the replies it has saved. */

import type { teamworkRoutes } from '@patchbay/contract/app/teamwork.ts'
import type { Handlers } from '../../../business/sessions/handlers.ts'
import { conversationOf } from '../../../journey/conversations/take-over.ts'
import { listChannels } from '../../../people/contacts/channel-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import { showConversation } from '../conversations/show.ts'
import type { Viewer } from '../conversations/viewer-store.ts'
import { assign } from './assign.ts'
import { listAssignees } from './assignee-store.ts'
import { keepNote, removeNote } from './notes.ts'
import { changeReply, removeReply, saveReply } from './saved-replies.ts'
import { listReplies } from './saved-reply-store.ts'
import { closeConversation, reopenConversation, snoozeConversation } from './set-state.ts'
import { listTags } from './tag-store.ts'
import { addTag, removeTag } from './tags.ts'

export function teamworkHandlers(db: Db): Pick<Handlers, keyof typeof teamworkRoutes> {
  const refOf = ({ accountId }: Viewer, { contactId }: { contactId: string }) => conversationOf(accountId, contactId)
  const show = (session: Viewer, params: { contactId: string }) =>
    showConversation(db, session, refOf(session, params).contactId)
  return {
    'GET /api/assignees': async ({ session }) => ({ users: await listAssignees(db, session.accountId) }),
    'PUT /api/conversations/:contactId/assignee': async ({ session, params, body }) => {
      await assign(db, refOf(session, params), { userId: session.userId, to: body.userId })
      return show(session, params)
    },
    'POST /api/conversations/:contactId/close': async ({ session, params, body: { seq } }) => {
      await closeConversation(db, refOf(session, params), { userId: session.userId, seq })
      return show(session, params)
    },
    'POST /api/conversations/:contactId/reopen': async ({ session, params }) => {
      await reopenConversation(db, refOf(session, params), session.userId)
      return show(session, params)
    },
    'POST /api/conversations/:contactId/snooze': async ({ session, params, body: { seq, until } }) => {
      await snoozeConversation(db, refOf(session, params), { userId: session.userId, seq, until })
      return show(session, params)
    },
    'POST /api/conversations/:contactId/notes': async ({ session, params, body: { body, clientId } }) =>
      keepNote(db, refOf(session, params), { userId: session.userId, clientId, body }),
    'DELETE /api/conversations/:contactId/notes/:noteId': async ({ session, params }) => {
      await removeNote(db, refOf(session, params), { userId: session.userId, id: params.noteId })
      return { done: true }
    },
    'GET /api/conversation-filters': async ({ session: { accountId } }) => ({
      channels: await listChannels(db, accountId),
      tags: await listTags(db, accountId),
    }),
    'POST /api/conversations/:contactId/tags': async ({ session, params, body: { tag } }) => {
      await addTag(db, refOf(session, params), tag)
      return show(session, params)
    },
    'DELETE /api/conversations/:contactId/tags/:tag': async ({ session, params }) => {
      await removeTag(db, refOf(session, params), params.tag)
      return show(session, params)
    },
    'GET /api/saved-replies': async ({ session }) => ({ replies: await listReplies(db, session.accountId) }),
    'POST /api/saved-replies': async ({ session, body }) => saveReply(db, session.accountId, body),
    'PUT /api/saved-replies/:replyId': async ({ session, params, body }) =>
      changeReply(db, session.accountId, { id: params.replyId, ...body }),
    'DELETE /api/saved-replies/:replyId': async ({ session, params }) => {
      await removeReply(db, session.accountId, params.replyId)
      return { done: true }
    },
  }
}
