import { eraseContact, showContact } from '../src/app/removal/erasure/erase-contact.ts'
import { findAccount } from '../src/business/accounts/store.ts'
import { optIn, optOut } from '../src/journey/conversations/consent.ts'
import { conversationOf } from '../src/journey/conversations/take-over.ts'
import { findContact } from '../src/people/contacts/find.ts'
import { findByExternalId } from '../src/people/contacts/store.ts'
import type { Db } from '../src/platform/database/db.ts'
import type { AccountId } from '../src/platform/ids.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import { Refusal } from '../src/platform/refusal.ts'
import { withContact } from './conversations.ts'
import type { Run } from './declarations.ts'
import { escapeForTerminal } from './shared/lay-out.ts'
import { type Secrets, withSecrets } from './shared/with-secrets.ts'

export const contactShow: Run<'contact show'> = ({ withDatabase }, { account, ...named }) =>
  withDatabase(async (db) => {
    const { id: accountId } = await findAccount(db, account)
    return showContact(db, conversationOf(accountId, await contactIdOf(db, accountId, named)))
  })

export const contactErase: Run<'contact erase'> = (ctx, { yes, account, contact }) => {
  const erase = async ({ db, secretKey }: Secrets) => {
    const ref = conversationOf((await findAccount(db, account)).id, contact)
    const { ask } = ctx
    if (ask && !yes) {
      const { firstName, lastName, phone, email, messages } = await showContact(db, ref)
      const names = [firstName, lastName, phone, email].filter((part) => part !== null).join(' ')
      const who = escapeForTerminal(names === '' ? ref.contactId : `${ref.contactId} (${names})`)
      const answer = await ask(`Erase ${who} and ${messages} messages for good? Type yes or the id: `)
      if (answer.trim() !== 'yes' && answer.trim() !== ref.contactId) throw new OperatorError('Nothing was erased.')
    }
    return eraseContact({ db, secretKey }, ref)
  }
  return withSecrets(ctx, erase, { callsOut: false })
}

export const contactOptOut: Run<'contact opt-out'> = (ctx, named) => withContact(ctx, named, optOut)

export const contactOptIn: Run<'contact opt-in'> = (ctx, { account, contact }) => {
  const end = async ({ db, secretKey }: Secrets) =>
    optIn({ db, secretKey }, conversationOf((await findAccount(db, account)).id, contact))
  return withSecrets(ctx, end, { callsOut: false })
}

type Named = {
  contact: string | undefined
  phone: string | undefined
  email: string | undefined
  'external-id': string | undefined
}

async function contactIdOf(db: Db, accountId: AccountId, named: Named): Promise<string> {
  const { contact, phone, email, 'external-id': externalId } = named
  if ([contact, phone, email, externalId].filter((value) => value !== undefined).length !== 1) {
    throw new OperatorError('Give one of --contact, --phone, --email and --external-id.')
  }
  if (contact !== undefined) return contact
  if (externalId === undefined) return (await findContact(db, accountId, { phone, email })).id
  const found = await findByExternalId(db, accountId, externalId)
  if (!found) throw new Refusal('CONTACT_NOT_FOUND', `There is no contact with the external id ${externalId}.`)
  return found.id
}
