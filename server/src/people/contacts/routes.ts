import { type ContactText, contactTexts } from '@patchbay/contract/contact-texts.ts'
/**
 * Entry of the contacts: create and look up. Numbers are parsed in `phone.ts`; message senders come by
 * `find-or-create.ts`.
 */

import { Contact, ContactQuery, FoundContact, NewContact } from '@patchbay/contract/contacts.ts'
import { given } from '@patchbay/contract/text.ts'
import { type ApiCtx, callerOf } from '../../business/accounts/guard.ts'
import type { Tx } from '../../platform/database/db.ts'
import { retryOnLostConnection } from '../../platform/database/retry-on-lost-connection.ts'
import type { App } from '../../platform/http-app.ts'
import { withIdempotencyKey } from '../../platform/idempotency/idempotency.ts'
import { readIdempotencyKey } from '../../platform/idempotency/idempotency-key.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { createContact, type GivenContact } from './create.ts'
import { findContact } from './find.ts'
import type { ContactRow } from './store.ts'

export function contactRoutes(app: App, ctx: ApiCtx & { hint: Hint }): void {
  const { db, share, secretKey, requireApiKey, hint } = ctx
  app.post(
    '/contacts',
    {
      onRequest: requireApiKey,
      schema: {
        operationId: 'createContact',
        tags: ['Contacts'],
        summary: 'Create a contact',
        description:
          'When the phone number already belongs to a contact, that contact is returned, unchanged; only `fromId` becomes its id if it has none. 400 if it has another one, or another contact has this one.',
        body: NewContact,
        response: { 200: Contact, 201: Contact },
      },
    },
    async (request, reply) => {
      const { accountId } = callerOf(request)
      const wanted = givenIn(request.body)
      const idempotencyKey = readIdempotencyKey(request, 'contacts')
      let hasChanged = false
      const create = async (tx: Tx) => {
        const { contact, isNew, isFilled } = await createContact(tx, { accountId, secretKey }, wanted)
        hasChanged = isNew || isFilled
        return { status: isNew ? 201 : 200, answer: shown(contact), contactId: contact.id }
      }
      const { status, answer } = await share(accountId, () =>
        idempotencyKey
          ? withIdempotencyKey(db, { accountId, idempotencyKey }, create)
          : db.transaction().execute(create),
      )
      if (hasChanged) hint(accountId, 'contacts')
      return reply.code(status === 201 ? 201 : 200).send(answer)
    },
  )

  app.get(
    '/contacts',
    {
      onRequest: requireApiKey,
      schema: {
        operationId: 'findContact',
        tags: ['Contacts'],
        summary: 'Look up a contact',
        description:
          'By phone number, by e-mail address or by `fromId`, one of them. Of several with one e-mail address, the oldest.',
        querystring: ContactQuery,
        response: { 200: FoundContact },
      },
    },
    async (request) => {
      const { phoneNumber, email, fromId } = request.query
      const filter = { phone: given(phoneNumber), email: given(email), fromId: given(fromId) }
      const { accountId } = callerOf(request)
      const find = () => retryOnLostConnection(() => findContact(db, accountId, filter))
      const contact = shown(await share(accountId, find))
      return { success: true as const, contactId: contact.id, ...contact, contact }
    },
  )
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
