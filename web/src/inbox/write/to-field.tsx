import { Combobox, ComboboxItem, ComboboxPopover, ComboboxProvider } from '@ariakit/react/combobox'
import type { ShownContact } from '@patchbay/contract/app/contacts.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import X from 'lucide-react/icons/x'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { read } from '../../data/queries.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Field } from '../../ui/field.tsx'
import { formatPhone } from '../../ui/format-phone.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { nameOf } from '../names.ts'
import { writeWords as words } from './words.ts'

type Person = { id: string; name: string }

type Props = {
  value: string
  error: ReactNode
  hint: ReactNode
  onType: (text: string) => void
  onChoose: (person: Person) => void
  onBlur: () => void
}

/** A name to be found among the contacts, or a number. */
export function ToField({ value, error, hint, onType, onChoose, onBlur }: Props) {
  const q = useDeferredValue(value.trim())
  const { data } = useQuery({
    ...read('GET /api/contacts', { query: { q, limit: '6' } }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })
  const found = q === '' ? [] : (data?.contacts ?? [])
  const [isOpen, setOpen] = useState(false)
  return (
    <ComboboxProvider
      value={value}
      setValue={onType}
      resetValueOnHide={false}
      open={isOpen && found.length > 0}
      setOpen={setOpen}
    >
      <Combobox
        autoSelect={false}
        name="to"
        maxLength={256}
        autoComplete="off"
        onBlur={onBlur}
        render={<Field label={words.to} error={error} hint={hint} />}
      />
      {found.length > 0 && (
        <ComboboxPopover className="menu write-found" gutter={4} sameWidth aria-label={words.people}>
          {found.map((contact) => (
            <Found key={contact.id} contact={contact} onChoose={onChoose} />
          ))}
        </ComboboxPopover>
      )}
    </ComboboxProvider>
  )
}

function Found({ contact, onChoose }: { contact: ShownContact; onChoose: (person: Person) => void }) {
  const name = nameOf(contact)
  const number = contact.phone && formatPhone(contact.phone)
  return (
    <ComboboxItem
      className="write-found-one"
      setValueOnClick={false}
      focusOnHover
      onClick={() => onChoose({ id: contact.id, name })}
    >
      <Avatar name={contact.name} channel={contact.channel} />
      <bdi className="grow cut">{name}</bdi>
      {number && number !== name && <bdi className="small muted">{number}</bdi>}
    </ComboboxItem>
  )
}

/** Who was chosen, and the way back to the choice. */
export function Chosen({ name, onDrop }: { name: string; onDrop: (() => void) | undefined }) {
  return (
    <div className="field">
      <span className="label">{words.chosen}</span>
      <div className="row write-chosen">
        <Avatar name={name} />
        <bdi className="grow cut strong">{name}</bdi>
        {onDrop && (
          <IconButton label={words.another} onClick={onDrop}>
            <X className="i" />
          </IconButton>
        )}
      </div>
    </div>
  )
}
