/** Entry of the lists: add a contact. Lists are created by a command, through `create.ts`. */

import { ListPath, MemberAdded, NewMember } from '@patchbay/contract/lists.ts'
import { type ApiCtx, callerOf } from '../../business/accounts/guard.ts'
import type { App } from '../../platform/http-app.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { addContactToList } from './add-contact.ts'

export function listRoutes(app: App, { requireApiKey, share, hint, ...ctx }: ApiCtx & { hint: Hint }): void {
  app.post(
    '/lists/:listId/contacts',
    {
      onRequest: requireApiKey,
      schema: {
        operationId: 'addContactToList',
        tags: ['Lists'],
        summary: 'Add an existing contact to a list',
        description: 'Adding a contact that is on the list already gives the same answer.',
        params: ListPath,
        body: NewMember,
        response: { 200: MemberAdded },
      },
    },
    async (request) => {
      const member = { listId: request.params.listId, contactId: request.body.contactId }
      const { accountId } = callerOf(request)
      await share(accountId, () => addContactToList(ctx, accountId, member))
      hint(accountId, 'lists')
      return { success: true as const, ...member, message: 'The contact is on the list.' }
    },
  )
}
