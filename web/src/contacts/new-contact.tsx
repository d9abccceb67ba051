import type { ShownContact } from '@patchbay/contract/app/contacts.ts'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { call } from '../data/api.ts'
import { Button } from '../ui/button.tsx'
import { Failed } from '../ui/failed.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { showToast } from '../ui/toast.ts'
import { useForm } from '../ui/use-form.ts'
import { type ContactValues, checkContact, contactFields, placeRefusal } from './contact-checks.ts'
import { ContactFields } from './contact-fields.tsx'
import { refreshContacts } from './contact-pages.ts'
import { contactWords as words } from './words.ts'

const blank = Object.fromEntries(contactFields.map((name) => [name, ''])) as ContactValues

/** A form for a new contact. A number that somebody has already leads to them, and nothing is changed. */
export function NewContact() {
  const navigate = useNavigate()
  const close = () => void navigate({ to: '/contacts', search: true })
  const [holder, setHolder] = useState<ShownContact>()
  const form = useForm({
    initial: blank,
    check: (values) => checkContact(values, false),
    send: (body) => {
      setHolder(undefined)
      return call('POST /api/contacts', { body })
    },
    onSaved: ({ contact, isNew }) => {
      if (!isNew) return setHolder(contact)
      showToast({ text: words.made(contact.name ?? contact.phone ?? contact.email ?? words.contact) })
      close()
      return refreshContacts()
    },
    place: placeRefusal,
  })
  const { ref: element } = form.form
  useEffect(() => element.current?.querySelector('input')?.focus(), [element])
  return (
    <Sheet
      title={words.newContact}
      onClose={close}
      footer={
        <>
          <Button look="primary" type="submit" form={form.form.id} busy={form.isSending && words.creating}>
            {words.create}
          </Button>
          <Button look="quiet" onClick={close}>
            {words.cancel}
          </Button>
        </>
      }
    >
      <ContactFields form={form} taken={holder && <HolderNote holder={holder} />} />
      <Failed error={form.failure} />
    </Sheet>
  )
}

/** Says whose number it is, with the way there. */
export function HolderNote({ holder }: { holder: ShownContact }) {
  return (
    <>
      {words.taken(holder.name)}{' '}
      <Link to="/contacts/$contactId" params={{ contactId: holder.id }} search={true}>
        {words.openTaken}
      </Link>
    </>
  )
}
