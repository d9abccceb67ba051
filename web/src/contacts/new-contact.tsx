import type { ShownContact } from '@patchbay/contract/app/contacts.ts'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { call } from '../data/api.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { nameOf } from '../ui/name-of.ts'
import { Sheet } from '../ui/sheet.tsx'
import { showToast } from '../ui/toast.ts'
import { type ContactValues, contactFields } from './contact-checks.ts'
import { ContactFields } from './contact-fields.tsx'
import { refreshContacts } from './contact-pages.ts'
import { fieldErrorOf, useContactForm } from './use-contact-form.ts'
import { contactWords as words } from './words.ts'

const blank = Object.fromEntries(contactFields.map((name) => [name, ''])) as ContactValues

/** A form for a new contact. A number that somebody has already leads to them, and nothing is changed. */
export function NewContact() {
  const navigate = useNavigate()
  const close = () => void navigate({ to: '/contacts', search: true })
  const form = useContactForm(blank, false)
  const [holder, setHolder] = useState<ShownContact>()
  const create = useMutation({
    mutationFn: (body: ContactValues) => call('POST /api/contacts', { body }),
    onSuccess: ({ contact, isNew }) => {
      if (!isNew) return setHolder(contact)
      showToast({ text: words.made(nameOf(contact) ?? contact.phone ?? contact.email ?? words.contact) })
      close()
      return refreshContacts()
    },
    onError: (error) => form.show(fieldErrorOf(error) ?? {}),
  })
  const { form: element } = form
  useEffect(() => element.current?.querySelector('input')?.focus(), [element])
  const submit = () => {
    setHolder(undefined)
    if (!create.isPending && form.check()) create.mutate(form.values)
  }
  const other = create.error && !fieldErrorOf(create.error) ? sayError(create.error) : undefined
  return (
    <Sheet
      title={words.newContact}
      onClose={close}
      footer={
        <>
          <Button look="primary" type="submit" form={form.formId} busy={create.isPending && words.creating}>
            {words.create}
          </Button>
          <Button look="quiet" onClick={close}>
            {words.cancel}
          </Button>
        </>
      }
    >
      <ContactFields form={form} taken={holder && <Taken holder={holder} />} onSubmit={submit} />
      {other && (
        <p className="fail" role="alert">
          {other.title} {other.hint}
        </p>
      )}
    </Sheet>
  )
}

/** Whose number it is, with the way there. */
export function Taken({ holder }: { holder: ShownContact }) {
  return (
    <>
      {words.taken(nameOf(holder))}{' '}
      <Link to="/contacts/$contactId" params={{ contactId: holder.id }} search={true}>
        {words.openTaken}
      </Link>
    </>
  )
}
