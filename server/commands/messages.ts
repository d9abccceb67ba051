import { findAccount } from '../src/accounts/store.ts'
import { listMessages } from '../src/messages/store.ts'
import { isId } from '../src/platform/ids.ts'
import { Refusal } from '../src/platform/refusal.ts'
import { command } from './command.ts'

const most = 1_000

export const messages = command({
  summary: "an account's messages, newest first, with what became of them",
  required: ['account'],
  optional: ['contact', 'limit'],
  run: ({ withDatabase }, { account, contact, limit: text = '50' }) =>
    withDatabase(async (db) => {
      const limit = Number(text)
      if (!(Number.isInteger(limit) && limit >= 1 && limit <= most)) {
        throw new Refusal('INVALID_REQUEST', `--limit must be a whole number from 1 to ${most}.`)
      }
      if (contact !== undefined && !isId('con', contact)) {
        throw new Refusal('CONTACT_NOT_FOUND', `${contact} is not the id of a contact; ids begin with con_.`)
      }
      return { messages: await listMessages(db, (await findAccount(db, account)).id, { contactId: contact, limit }) }
    }),
})
