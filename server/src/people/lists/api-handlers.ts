import type { ApiHandlers } from '../../business/accounts/handlers.ts'
import type { Db } from '../../platform/database/db.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { addContactToList } from './add-contact.ts'

type Ctx = Readonly<{ db: Db; secretKey: Buffer; hint: Hint }>

export function listApiHandlers({ hint, ...ctx }: Ctx): Pick<ApiHandlers, 'POST /v1/lists/:listId/contacts'> {
  return {
    'POST /v1/lists/:listId/contacts': async ({ caller: { accountId }, params, body }) => {
      const member = { listId: params.listId, contactId: body.contactId }
      await addContactToList(ctx, accountId, member)
      hint(accountId, 'lists')
      return { success: true, ...member, message: 'The contact is on the list.' }
    },
  }
}
