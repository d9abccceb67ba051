import type { ShownList } from '@patchbay/contract/app/lists.ts'
import type { Handlers, Sendable } from '../../business/sessions/handlers.ts'
import type { Db } from '../../platform/database/db.ts'
import type { FairShare } from '../../platform/database/fair-share.ts'
import { addContactToList, noList } from './add-contact.ts'
import { createList, deleteList, removeContactFromList, renameList } from './change.ts'
import { addManyToList, removeManyFromList } from './many-contacts.ts'
import { type ListSummary, summarizeLists } from './store.ts'

type Ctx = Readonly<{ db: Db; share: FairShare; secretKey: Buffer }>
type Routes =
  | 'GET /api/lists'
  | 'POST /api/lists'
  | 'PATCH /api/lists/:listId'
  | 'DELETE /api/lists/:listId'
  | 'POST /api/lists/:listId/members'
  | 'POST /api/lists/:listId/members/remove'
  | 'PUT /api/contacts/:contactId/lists/:listId'
  | 'DELETE /api/contacts/:contactId/lists/:listId'

export function listHandlers(ctx: Ctx): Pick<Handlers, Routes> {
  const { db } = ctx
  return {
    'GET /api/lists': async ({ session }) => ({ lists: (await summarizeLists(db, session.accountId)).map(shown) }),
    'POST /api/lists': async ({ session: { accountId }, body }) => {
      const listId = await createList(db, accountId, body.name)
      return oneOf(await summarizeLists(db, accountId, listId))
    },
    'PATCH /api/lists/:listId': async ({ session: { accountId }, params, body }) => {
      const listId = await renameList(db, accountId, { listId: params.listId, name: body.name })
      return oneOf(await summarizeLists(db, accountId, listId))
    },
    'DELETE /api/lists/:listId': async ({ session, params }) => {
      await deleteList(db, session.accountId, params.listId)
      return { done: true }
    },
    'POST /api/lists/:listId/members': ({ session: { accountId }, params, body }) =>
      addManyToList(ctx, { accountId, ...params }, body),
    'POST /api/lists/:listId/members/remove': ({ session: { accountId }, params, body }) =>
      removeManyFromList(ctx, { accountId, ...params }, body),
    'PUT /api/contacts/:contactId/lists/:listId': async ({ session, params }) => {
      await addContactToList(ctx, session.accountId, params)
      return { done: true }
    },
    'DELETE /api/contacts/:contactId/lists/:listId': async ({ session, params }) => {
      await removeContactFromList(db, session.accountId, params)
      return { done: true }
    },
  }
}

function shown({ listId, ...list }: ListSummary): Sendable<ShownList> {
  return { id: listId, ...list }
}

/** The only list; none: it was deleted a moment ago. */
function oneOf([list]: ListSummary[]): Sendable<ShownList> {
  if (!list) throw noList()
  return shown(list)
}
