import type { Handlers } from '../../../business/sessions/handlers.ts'
import { noContact } from '../../../people/contacts/find.ts'
import type { Db } from '../../../platform/database/db.ts'
import { isId } from '../../../platform/ids.ts'
import { eraseContact } from './erase-contact.ts'

/** Erasing crosses all folders, so it is not with the other handlers of contacts. */
export function eraseHandler(ctx: { db: Db; secretKey: Buffer }): Pick<Handlers, 'DELETE /api/contacts/:contactId'> {
  return {
    'DELETE /api/contacts/:contactId': async ({ session: { accountId }, params: { contactId }, by }) => {
      if (!isId('con', contactId)) throw noContact()
      const { messages } = await eraseContact(ctx, { accountId, contactId }, by)
      return { messages }
    },
  }
}
