import { type ContactText, contactTexts } from '@patchbay/contract/contact-texts.ts'
/**
 * Entry of the contacts: create and look up. Numbers are parsed in `phone.ts`; message senders come by
 * `find-or-create.ts`.
 */

import { Contact, ContactQuery, FoundContact, NewContact } from '@patchbay/contract/contacts.ts'
import { given } from '@patchbay/contract/text.ts'
import { type ApiCtx, callerOf } from '../accounts/guard.ts'
import type { Db } from '../platform/database/db.ts'
import { retryOnLostConnection } from '../platform/database/retry-on-lost-connection.ts'
import type { App } from '../platform/http-app.ts'
import { withIdempotencyKey } from '../platform/idempotency/idempotency.ts'
import { readIdempotencyKey } from '../platform/idempotency/idempotency-key.ts'
import type { Hint } from '../work/hints.ts'
import { createContact } from './create.ts'
import { findContact } from './find.ts'
import { recognizeOptOut } from './opt-out.ts'
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
        description: 'When the phone number already belongs to a contact, that contact is returned, unchanged.',
        body: NewContact,
        response: { 200: Contact, 201: Contact },
      },
    },
    async (request, reply) => {
      const { phone, phoneNumber, email } = request.body
      const { accountId } = callerOf(request)
      const texts = textsOf(request.body)
      const contactFields = { texts, phone: given(phone) ?? given(phoneNumber), email: given(email) }
      const idempotencyKey = readIdempotencyKey(request, 'contacts')
      const create = async (at: Db) => {
        const { contact, isNew } = await createContact(at, accountId, contactFields)
        if (isNew) await recognizeOptOut(at, secretKey, { accountId, contactId: contact.id })
        return { status: isNew ? 201 : 200, answer: shown(contact), contactId: contact.id }
      }
      const { status, answer } = await share(accountId, () =>
        idempotencyKey ? withIdempotencyKey(db, { accountId, idempotencyKey }, create) : create(db),
      )
      if (status === 201) hint(accountId, 'contacts')
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
        description: 'By phone number or by e-mail address. Of several with one e-mail address, the oldest.',
        querystring: ContactQuery,
        response: { 200: FoundContact },
      },
    },
    async (request) => {
      const { phoneNumber, email } = request.query
      const filter = { phone: given(phoneNumber), email: given(email) }
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

function textsOf(body: Partial<Record<ContactText, string | null>>): Record<ContactText, string | null> {
  const entries = contactTexts.map((name) => [name, given(body[name]) ?? null])
  return Object.fromEntries(entries) as Record<ContactText, string | null> // it has each of them
}
