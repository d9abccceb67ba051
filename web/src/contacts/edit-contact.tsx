import type { ShownContact } from '@patchbay/contract/app/contacts.ts'
import { useState } from 'react'
import { ApiError, call } from '../data/api.ts'
import { queryClient, read } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { Failed } from '../ui/failed.tsx'
import { showToast } from '../ui/toast.ts'
import { useForm } from '../ui/use-form.ts'
import { type ContactValues, checkContact, contactFields, placeRefusal } from './contact-checks.ts'
import { ContactFields } from './contact-fields.tsx'
import { refreshContacts } from './contact-pages.ts'
import { HolderNote } from './new-contact.tsx'
import { contactWords as words } from './words.ts'

/** The form of a contact. Only what was changed is sent, so that two people who edit it at once keep both changes. */
export function EditContact({ contact }: { contact: ShownContact }) {
  const hasId = contact.externalId !== null
  const [holder, setHolder] = useState<ShownContact>()
  const params = { contactId: contact.id }
  const form = useForm({
    initial: valuesOf(contact),
    check: (values) => checkContact(values, hasId || contact.addresses.length > 0),
    send: async (values, { changes }) => {
      setHolder(undefined)
      try {
        return await call('PATCH /api/contacts/:contactId', { params, body: sentOf(changes, hasId) })
      } catch (error) {
        if (isConflict(error)) setHolder(await findHolder(values.phone))
        throw error
      }
    },
    onSaved: (saved) => {
      queryClient.setQueryData(read('GET /api/contacts/:contactId', { params }).queryKey, saved)
      showToast({ text: words.saved })
      return refreshContacts()
    },
    place: (error) => (isConflict(error) ? { phone: error.message } : placeRefusal(error)),
  })
  return (
    <div className="stack stack-3">
      <ContactFields form={form} taken={holder && <HolderNote holder={holder} />} hasId={hasId} />
      <Failed error={form.failure} />
      {Object.keys(sentOf(form.changes, hasId)).length > 0 && (
        <div className="row">
          <Button look="primary" type="submit" form={form.form.id} busy={form.isSending && words.saving}>
            {words.save}
          </Button>
          <Button look="quiet" onClick={() => form.reset()}>
            {words.discard}
          </Button>
        </div>
      )}
    </div>
  )
}

const isConflict = (error: unknown): error is ApiError => error instanceof ApiError && error.code === 'CONFLICT'

/** The refusal says who has the number; this finds the way to them. */
async function findHolder(phone: string): Promise<ShownContact | undefined> {
  const { contacts } = await call('GET /api/contacts', { query: { q: phone, limit: '1' } }).catch(() => ({
    contacts: [],
  }))
  return contacts[0]
}

function valuesOf(contact: ShownContact): ContactValues {
  return Object.fromEntries(contactFields.map((name) => [name, contact[name] ?? ''])) as ContactValues
}

/** An id that they have got meanwhile stays, whatever was being typed for it. */
function sentOf({ externalId, ...changes }: Partial<ContactValues>, hasId: boolean): Partial<ContactValues> {
  return hasId || externalId === undefined ? changes : { ...changes, externalId }
}
