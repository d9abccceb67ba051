import { findAccount } from '../src/accounts/store.ts'
import { findAnswer, type ShownAnswer } from '../src/bot/answer-store.ts'
import { type LoggedAttempt, listAttempts } from '../src/messages/attempt-log.ts'
import { type ListedMessage, listMessages } from '../src/messages/store.ts'
import type { Db } from '../src/platform/db.ts'
import { type AccountId, isId } from '../src/platform/ids.ts'
import { Refusal } from '../src/platform/refusal.ts'
import { command } from './command.ts'

const most = 1_000

export const messages = command({
  summary:
    "an account's messages, newest first, with what became of them; or with --message one, what the bot decided and its attempts",
  required: ['account'],
  optional: ['contact', 'limit', 'message'],
  run: ({ withDatabase }, { account, contact, limit: text, message }) =>
    withDatabase(async (db) => {
      if (message !== undefined && (contact !== undefined || text !== undefined)) {
        throw new Refusal('INVALID_REQUEST', 'Give either --message, or --contact and --limit.')
      }
      const limit = Number(text ?? 50)
      if (!(Number.isInteger(limit) && limit >= 1 && limit <= most)) {
        throw new Refusal('INVALID_REQUEST', `--limit must be a whole number from 1 to ${most}.`)
      }
      if (contact !== undefined && !isId('con', contact)) {
        throw new Refusal('CONTACT_NOT_FOUND', `${contact} is not the id of a contact; ids begin with con_.`)
      }
      const { id } = await findAccount(db, account)
      if (message !== undefined) return showOne(db, id, message)
      return { messages: await listMessages(db, id, { contactId: contact, limit }) }
    }),
})

async function showOne(
  db: Db,
  accountId: AccountId,
  messageId: string,
): Promise<{ message: ListedMessage; decision: ShownAnswer | undefined; attempts: LoggedAttempt[] }> {
  const found = isId('msg', messageId)
    ? await listMessages(db, accountId, { contactId: undefined, messageId, limit: 1 })
    : []
  const [message] = found
  if (!message) throw new Refusal('NOT_FOUND', `There is no message ${messageId} in this account.`)
  const decision = await findAnswer(db, { accountId, messageId: message.id })
  return { message, decision, attempts: await listAttempts(db, accountId, message.id) }
}
