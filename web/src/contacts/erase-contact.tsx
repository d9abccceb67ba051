import type { ShownContact } from '@patchbay/contract/app/contacts.ts'
import { useMutation } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import Trash2 from 'lucide-react/icons/trash-2'
import { useEffect, useState } from 'react'
import { call } from '../data/api.ts'
import { useMay } from '../data/use-may.ts'
import { AskDestroy } from '../ui/ask-destroy.tsx'
import { Button } from '../ui/button.tsx'
import { showToast } from '../ui/toast.ts'
import { refreshContacts } from './contact-pages.ts'
import { contactWords as words } from './words.ts'

/** The hash of an address that opens a contact with the question already asked. */
export const eraseHash = 'erase'

/** Erases a contact: it asks in its place and says what goes. */
export function EraseContact({ contact, onErased }: { contact: ShownContact; onErased: () => void }) {
  const { ownAtHome } = useMay()
  const isAsked = useRouterState({ select: ({ location }) => location.hash === eraseHash })
  const [isOpen, setOpen] = useState(isAsked)
  useEffect(() => setOpen(isAsked), [isAsked])
  return (
    <section className="stack contact-erase" aria-label={words.erase}>
      {!ownAtHome ? (
        <p className="small muted">{words.ownerOnly}</p>
      ) : isOpen ? (
        <Ask contact={contact} onErased={onErased} onKeep={() => setOpen(false)} />
      ) : (
        <>
          <div className="row wrap">
            <Button look="fail" onClick={() => setOpen(true)}>
              <Trash2 className="i" />
              {words.eraseAsk}
            </Button>
          </div>
          <p className="small muted">{words.eraseSays}</p>
        </>
      )}
    </section>
  )
}

function Ask({ contact, onErased, onKeep }: { contact: ShownContact; onErased: () => void; onKeep: () => void }) {
  const name = contact.name ?? contact.phone ?? contact.email ?? words.thisContact
  const erase = useMutation({
    mutationFn: () => call('DELETE /api/contacts/:contactId', { params: { contactId: contact.id } }),
    onSuccess: ({ messages }) => {
      showToast({ text: words.erased(name, messages) })
      onErased()
      return refreshContacts()
    },
  })
  return (
    <AskDestroy
      destroy={erase}
      words={{ doIt: words.eraseIt(name), doing: words.erasing, keep: words.keep }}
      onKeep={onKeep}
    >
      <p>{words.eraseGoes(name)}</p>
      <p className="muted">{words.eraseStays}</p>
    </AskDestroy>
  )
}
