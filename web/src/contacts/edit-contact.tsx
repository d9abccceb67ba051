import type { ShownContact } from '@patchbay/contract/app/contacts.ts'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError, call } from '../data/api.ts'
import { queryClient, read } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { showToast } from '../ui/toast.ts'
import { type ContactValues, contactFields } from './contact-checks.ts'
import { ContactFields } from './contact-fields.tsx'
import { refreshContacts } from './contact-pages.ts'
import { Taken } from './new-contact.tsx'
import { fieldErrorOf, useContactForm } from './use-contact-form.ts'
import { contactWords as words } from './words.ts'

/** The form of a contact. Only what was changed is sent, so that two people who edit it at once keep both changes. */
export function EditContact({ contact }: { contact: ShownContact }) {
  const shown = valuesOf(contact)
  const [base, setBase] = useState(shown)
  const hasId = contact.externalId !== null
  const form = useContactForm(base, hasId)
  const change = changesOf(base, form.values, hasId)
  const isChanged = Object.keys(change).length > 0
  const { save, holder } = useSave(contact, form, setBase)
  // What somebody else has saved meanwhile is taken over, unless there is something here to lose.
  const latest = JSON.stringify(shown)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when what the server has changes
  useEffect(() => {
    if (isChanged) return
    setBase(shown)
    form.reset(shown)
  }, [latest])
  const submit = () => {
    if (!save.isPending && isChanged && form.check()) save.mutate(change)
  }
  const other = save.error && !isOfField(save.error) ? sayError(save.error) : undefined
  return (
    <div className="stack stack-3">
      <ContactFields form={form} taken={holder && <Taken holder={holder} />} hasId={hasId} onSubmit={submit} />
      {other && (
        <p className="fail" role="alert">
          {other.title} {other.hint}
        </p>
      )}
      {isChanged && (
        <div className="row">
          <Button look="primary" type="submit" form={form.formId} busy={save.isPending && words.saving}>
            {words.save}
          </Button>
          <Button look="quiet" onClick={() => form.reset(base)}>
            {words.discard}
          </Button>
        </div>
      )}
    </div>
  )
}

function useSave(contact: ShownContact, form: ReturnType<typeof useContactForm>, setBase: (to: ContactValues) => void) {
  const [holder, setHolder] = useState<ShownContact>()
  const params = { contactId: contact.id }
  const save = useMutation({
    mutationFn: (body: Partial<ContactValues>) => call('PATCH /api/contacts/:contactId', { params, body }),
    onMutate: () => setHolder(undefined),
    onSuccess: (saved) => {
      queryClient.setQueryData(read('GET /api/contacts/:contactId', { params }).queryKey, saved)
      setBase(valuesOf(saved))
      form.reset(valuesOf(saved))
      showToast({ text: words.saved })
      return refreshContacts()
    },
    onError: async (error) => {
      if (isConflict(error)) setHolder(await findHolder(form.values.phone))
      form.show(fieldErrorOf(error) ?? (isConflict(error) ? { phone: error.message } : {}))
    },
  })
  return { save, holder }
}

const isConflict = (error: unknown): error is ApiError => error instanceof ApiError && error.code === 'CONFLICT'
const isOfField = (error: unknown) => isConflict(error) || fieldErrorOf(error) !== undefined

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
function changesOf(base: ContactValues, values: ContactValues, hasId: boolean): Partial<ContactValues> {
  return Object.fromEntries(
    contactFields
      .filter((name) => base[name].trim() !== values[name].trim() && !(hasId && name === 'externalId'))
      .map((name) => [name, values[name]]),
  )
}
