/** What a team does with conversations: assign, close, put off, note, tag; and the replies it has saved. */

import type { SavedReply, teamworkRoutes } from '@patchbay/contract/app/teamwork.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { isVisible } from '@patchbay/contract/text.ts'
import type { Handlers } from '../../../business/sessions/handlers.ts'
import { type ConversationRef, noConversation, noteEvent } from '../../../journey/conversations/conversation-store.ts'
import { conversationOf } from '../../../journey/conversations/take-over.ts'
import { listChannels } from '../../../people/contacts/channel-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import { hasSqlState } from '../../../platform/database/errors.ts'
import { type AccountId, isId, type UserId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { normalTag } from '../conversations/list.ts'
import { changeAndShow } from '../conversations/show.ts'
import type { Viewer } from '../conversations/viewer-store.ts'
import { isAssignable, listAssignees, readAssignee, writeAssignee } from './assignee-store.ts'
import { keepNote, removeNote } from './notes.ts'
import { deleteReply, insertReply, listReplies, updateReply } from './saved-reply-store.ts'
import { closeConversation, inConversation, reopenConversation, snoozeConversation } from './set-state.ts'
import { deleteTag, insertTag, listTags } from './tag-store.ts'

export function teamworkHandlers(db: Db): Pick<Handlers, keyof typeof teamworkRoutes> {
  const refOf = ({ accountId }: Viewer, { contactId }: { contactId: string }) => conversationOf(accountId, contactId)
  return {
    'GET /api/assignees': async ({ session }) => ({ users: await listAssignees(db, session.accountId) }),
    'PUT /api/conversations/:contactId/assignee': ({ session, params, body }) =>
      changeAndShow(db, session, params, (ref) => assign(db, ref, { userId: session.userId, to: body.userId })),
    'POST /api/conversations/:contactId/close': ({ session, params, body: { seq } }) =>
      changeAndShow(db, session, params, (ref) => closeConversation(db, ref, { userId: session.userId, seq })),
    'POST /api/conversations/:contactId/reopen': ({ session, params }) =>
      changeAndShow(db, session, params, (ref) => reopenConversation(db, ref, session.userId)),
    'POST /api/conversations/:contactId/snooze': ({ session, params, body: { seq, until } }) =>
      changeAndShow(db, session, params, (ref) => snoozeConversation(db, ref, { userId: session.userId, seq, until })),
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
    'POST /api/conversations/:contactId/tags': ({ session, params, body: { tag } }) =>
      changeAndShow(db, session, params, (ref) => addTag(db, ref, tag)),
    'DELETE /api/conversations/:contactId/tags/:tag': ({ session, params }) =>
      changeAndShow(db, session, params, (ref) => deleteTag(db, ref, normalTag(params.tag))),
    'GET /api/saved-replies': async ({ session }) => ({ replies: await listReplies(db, session.accountId) }),
    'POST /api/saved-replies': async ({ session, body }) => saveReply(db, session.accountId, body),
    'PUT /api/saved-replies/:replyId': async ({ session, params, body }) =>
      changeReply(db, session.accountId, { id: params.replyId, ...body }),
    'DELETE /api/saved-replies/:replyId': async ({ session, params: { replyId } }) => {
      if (!isId('rep', replyId) || !(await deleteReply(db, session.accountId, replyId))) throw noReply()
      return { done: true }
    },
  }
}

/** Assigns a conversation to a user of the account, or to nobody. */
async function assign(
  db: Db,
  ref: ConversationRef,
  { userId, to }: { userId: UserId; to: string | null },
): Promise<void> {
  if (to !== null && !isId('usr', to)) throw noSuchUser()
  await inConversation(db, ref, async (tx) => {
    if (to !== null && !(await isAssignable(tx, ref.accountId, to))) throw noSuchUser()
    if ((await readAssignee(tx, ref)) === to) return
    await writeAssignee(tx, ref, to)
    await noteEvent(tx, ref, { kind: to === null ? 'unassigned' : 'assigned', userId, toUserId: to })
  })
}

const noSuchUser = () => new Refusal('NOT_FOUND', 'There is no such user in this account.')

/** The tags of one conversation. */
const mostTags = 20

/** A tag is made by using it. Twice is once. */
async function addTag(db: Db, ref: ConversationRef, text: string): Promise<void> {
  const tag = normalTag(text)
  if (!isVisible(tag) || [...tag].length > limits.tagCharacters || /\p{Cc}/u.test(tag)) {
    throw new Refusal('INVALID_REQUEST', `tag must have 1 to ${limits.tagCharacters} characters.`)
  }
  const outcome = await insertTag(db, ref, { tag, most: mostTags })
  if (outcome === 'no conversation') throw noConversation(ref)
  if (outcome === 'too many') throw new Refusal('INVALID_REQUEST', `A conversation has at most ${mostTags} tags.`)
}

type Fields = Pick<SavedReply, 'shortcut' | 'body'>

/** The replies of one account. They are all sent to the browser. */
const mostReplies = 300

async function saveReply(db: Db, accountId: AccountId, fields: Fields): Promise<SavedReply> {
  const saved = await unlessTaken(fields, () => insertReply(db, accountId, fields, mostReplies))
  if (!saved) throw new Refusal('INVALID_REQUEST', `An account has at most ${mostReplies} saved replies.`)
  return saved
}

async function changeReply(db: Db, accountId: AccountId, { id, ...fields }: SavedReply): Promise<SavedReply> {
  const saved = isId('rep', id) && (await unlessTaken(fields, () => updateReply(db, accountId, { id, ...fields })))
  if (!saved) throw noReply()
  return saved
}

async function unlessTaken<Value>({ shortcut }: Fields, write: () => Promise<Value>): Promise<Value> {
  try {
    return await write()
  } catch (error) {
    if (hasSqlState(error, '23505')) throw new Refusal('CONFLICT', `There is a saved reply /${shortcut} already.`)
    throw error
  }
}

const noReply = () => new Refusal('NOT_FOUND', 'There is no such saved reply.')
