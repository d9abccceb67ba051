import { Combobox, ComboboxItem, ComboboxPopover, useComboboxStore } from '@ariakit/react/combobox'
import type { ShownContact } from '@patchbay/contract/app/contacts.ts'
import type { ShownList } from '@patchbay/contract/app/lists.ts'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import UserRoundPlus from 'lucide-react/icons/user-round-plus'
import { useDeferredValue, useRef } from 'react'
import { refreshContacts } from '../contacts/contact-pages.ts'
import { contactWords } from '../contacts/words.ts'
import { call } from '../data/api.ts'
import { read } from '../data/queries.ts'
import { ChannelMark } from '../ui/channel.tsx'
import { sayError } from '../ui/error-state.tsx'
import { formatPhone } from '../ui/format-phone.ts'
import { Kbd } from '../ui/kbd.tsx'
import { showToast } from '../ui/toast.ts'
import { listWords as words } from './words.ts'

/** Finds a contact and puts it on the list; the cursor stays, for the next one. */
export function AddMember({ list }: { list: ShownList }) {
  const frame = useRef<HTMLDivElement>(null)
  const box = useComboboxStore({ placement: 'bottom-end' })
  const text = box.useState('value')
  const q = useDeferredValue(text.trim())
  const found = useFound(q)
  const add = useMutation({
    mutationFn: (contact: ShownContact) =>
      call('PUT /api/contacts/:contactId/lists/:listId', { params: { contactId: contact.id, listId: list.id } }),
    onSuccess: (_, contact) => {
      showToast({ text: words.added(sayWho(contact), list.name) })
      box.setValue('')
      return refreshContacts()
    },
    onError: (error) => showToast({ text: sayError(error).title }),
  })
  return (
    <div className="end members-bar-add search" ref={frame}>
      <UserRoundPlus className="i" />
      <Combobox store={box} aria-label={words.add} placeholder={words.addHint} maxLength={256} autoSelect />
      {q !== '' && (
        <ComboboxPopover
          store={box}
          className="menu"
          gutter={4}
          sameWidth
          getAnchorRect={() => frame.current?.getBoundingClientRect() ?? null}
          aria-label={words.add}
        >
          {found?.map((contact) => (
            <ContactOption
              key={contact.id}
              contact={contact}
              isMember={contact.lists.some(({ id }) => id === list.id)}
              onAdd={() => add.mutate(contact)}
            />
          ))}
          {found?.length === 0 && <p className="small muted add-nothing">{words.nobodyToAdd(q)}</p>}
          {!found && <p className="small muted add-nothing">{words.searching}</p>}
        </ComboboxPopover>
      )}
    </div>
  )
}

type ContactOptionProps = { contact: ShownContact; isMember: boolean; onAdd: () => void }

function ContactOption({ contact, isMember, onAdd }: ContactOptionProps) {
  return (
    <ComboboxItem
      className="add-found"
      disabled={isMember}
      setValueOnClick={false}
      hideOnClick={false}
      onClick={onAdd}
      focusOnHover
    >
      {contact.channel ? (
        <ChannelMark channel={contact.channel} />
      ) : (
        <span className="channel-mark open" aria-hidden="true" />
      )}
      <bdi className="grow cut">{sayWho(contact)}</bdi>
      {isMember ? <span className="small">{words.onTheList}</span> : <Kbd press="Enter" className="add-found-enter" />}
    </ComboboxItem>
  )
}

/** Finds contacts: a whole id finds its own; else the search does. */
function useFound(q: string): ShownContact[] | undefined {
  const isId = /^con_[0-9a-f]{32}$/.test(q)
  const one = useQuery({
    ...read('GET /api/contacts/:contactId', { params: { contactId: q } }),
    enabled: isId,
    retry: false,
  })
  const many = useQuery({
    ...read('GET /api/contacts', { query: { q, limit: '6' } }),
    enabled: q !== '' && !isId,
    placeholderData: keepPreviousData,
  })
  if (!isId) return many.data?.contacts
  return one.isPending ? undefined : one.data ? [one.data] : []
}

function sayWho(contact: ShownContact): string {
  const phone = contact.phone && formatPhone(contact.phone)
  return contact.name ?? phone ?? contact.email ?? contact.externalId ?? contactWords.noName
}
