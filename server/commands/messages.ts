import { showContact } from '../src/app/removal/erasure/erase-contact.ts'
import { findAccount } from '../src/business/accounts/store.ts'
import { findAnswer, type ShownAnswer } from '../src/journey/bot/answer-store.ts'
import { conversationOf } from '../src/journey/conversations/take-over.ts'
import { type LoggedAttempt, listAttempts } from '../src/journey/messages/attempt-log.ts'
import { type ListedMessage, listMessages } from '../src/journey/messages/store.ts'
import type { Db } from '../src/platform/database/db.ts'
import { type AccountId, type ContactId, isId } from '../src/platform/ids.ts'
import { Refusal } from '../src/platform/refusal.ts'
import type { Run } from './declarations.ts'

const most = 1_000

export const messages: Run<'messages'> = ({ withDatabase }, { account, contact, limit: text, message }) =>
  withDatabase(async (db) => {
    if (message !== undefined && (contact !== undefined || text !== undefined)) {
      throw new Refusal('INVALID_REQUEST', 'Give either --message, or --contact and --limit.')
    }
    const limit = Number(text ?? 50)
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= most)) {
      throw new Refusal('INVALID_REQUEST', `--limit must be a whole number from 1 to ${most}.`)
    }
    const { id } = await findAccount(db, account)
    if (message !== undefined) return showOne(db, id, message)
    const contactId = contact === undefined ? undefined : await requireContact(db, id, contact)
    return { messages: await listMessages(db, id, { contactId, limit }) }
  })

/** An unknown contact is an error, not an empty list: the id or the account is probably wrong. */
async function requireContact(db: Db, accountId: AccountId, contact: string): Promise<ContactId> {
  const ref = conversationOf(accountId, contact)
  await showContact(db, ref)
  return ref.contactId
}

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
