import type { Contact, FoundContact, NewContact } from '@patchbay/contract/api/contacts.ts'
import { type ContactText, contactTexts } from '@patchbay/contract/contact-texts.ts'
import { given } from '@patchbay/contract/text.ts'
import type { ApiHandlers } from '../../business/accounts/handlers.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { withIdempotencyKey } from '../../platform/idempotency/idempotency.ts'
import { readIdempotencyKey } from '../../platform/idempotency/idempotency-key.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { createContact, type GivenContact } from './create.ts'
import { findContact, findContactById } from './find.ts'
import type { ContactRow } from './store.ts'

type Ctx = Readonly<{ db: Db; secretKey: Buffer; hint: Hint }>
type Routes = 'POST /v1/contacts' | 'GET /v1/contacts' | 'GET /v1/contacts/:contactId'

export function contactApiHandlers({ db, secretKey, hint }: Ctx): Pick<ApiHandlers, Routes> {
  return {
    'POST /v1/contacts': async ({ caller: { accountId }, body, http, reply }) => {
      const wanted = givenIn(body)
      const idempotencyKey = readIdempotencyKey(http, 'contacts')
      let hasChanged = false
      const create = async (tx: Tx) => {
        const { contact, isNew, isFilled } = await createContact(tx, { accountId, secretKey }, wanted)
        hasChanged = isNew || isFilled
        return { status: isNew ? 201 : 200, answer: shown(contact), contactId: contact.id }
      }
      const { status, answer } = await (idempotencyKey
        ? withIdempotencyKey(db, { accountId, idempotencyKey }, create)
        : db.transaction().execute(create))
      if (hasChanged) hint(accountId, 'contacts')
      reply.code(status)
      return answer
    },
    'GET /v1/contacts': async ({ caller, query: { phoneNumber, email, fromId } }) => {
      const filter = { phone: given(phoneNumber), email: given(email), fromId: given(fromId) }
      return found(await findContact(db, caller.accountId, filter))
    },
    'GET /v1/contacts/:contactId': async ({ caller, params: { contactId } }) =>
      found(await findContactById(db, caller.accountId, contactId)),
  }
}

/** The fields at the top level and under `contact`: integrations read either. */
function found(row: ContactRow): FoundContact {
  const contact = shown(row)
  return { success: true, contactId: contact.id, ...contact, contact }
}

function shown(contact: ContactRow): Contact {
  return { ...contact, createdAt: contact.createdAt.toISOString() }
}

/** With a blank id nobody can write, for no message has one: it counts as left out. */
function givenIn(body: NewContact): GivenContact {
  const { phone, phoneNumber, email, fromId } = body
  return {
    texts: textsOf(body),
    phone: given(phone) ?? given(phoneNumber),
    email: given(email),
    fromId: fromId?.trim() ? fromId : undefined,
  }
}

function textsOf(body: Partial<Record<ContactText, string | null>>): Record<ContactText, string | null> {
  const entries = contactTexts.map((name) => [name, given(body[name]) ?? null])
  return Object.fromEntries(entries) as Record<ContactText, string | null> // it has each of them
}
