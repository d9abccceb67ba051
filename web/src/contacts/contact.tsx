import './contacts.css'
import type { ShownContact } from '@patchbay/contract/app/contacts.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import MessageSquare from 'lucide-react/icons/message-square'
import SquarePen from 'lucide-react/icons/square-pen'
import { ApiError } from '../data/api.ts'
import { read } from '../data/queries.ts'
import { nameOf } from '../inbox/names.ts'
import { writeTo } from '../inbox/write/write-to.ts'
import { Avatar } from '../ui/avatar.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { ContactFacts } from './contact-facts.tsx'
import { ContactLists } from './contact-lists.tsx'
import { loadedContact } from './contact-pages.ts'
import { ContactStates } from './contact-states.tsx'
import { EditContact } from './edit-contact.tsx'
import { EraseContact } from './erase-contact.tsx'
import { contactWords as words } from './words.ts'

const route = getRouteApi('/shell/contacts/$contactId')

/** One contact, beside the table: change it, its lists, the way to its conversation, and erasing it. */
export function Contact() {
  const { contactId } = route.useParams()
  const navigate = useNavigate()
  const close = () => void navigate({ to: '/contacts', search: true })
  const contact = useQuery({
    ...read('GET /api/contacts/:contactId', { params: { contactId } }),
    placeholderData: () => loadedContact(contactId),
  })
  const title = contact.data ? (contact.data.name ?? words.noName) : words.contact
  return (
    <Sheet key={contactId} title={title} onClose={close}>
      {contact.data ? (
        <ContactDetails contact={contact.data} onErased={close} />
      ) : contact.error ? (
        <Failed error={contact.error} retry={() => void contact.refetch()} />
      ) : (
        <Waiting />
      )}
    </Sheet>
  )
}

function ContactDetails({ contact, onErased }: { contact: ShownContact; onErased: () => void }) {
  const name = nameOf(contact)
  return (
    <>
      <div className="row row-3 contact-top">
        <Avatar name={contact.name} channel={contact.channel} size="lg" />
        <span className="grow" />
        {contact.channel && (
          <Link to="/inbox/$contactId" params={{ contactId: contact.id }} className={buttonClass()}>
            <MessageSquare className="i" />
            {words.openConversation}
          </Link>
        )}
        {!contact.isSimulated && (
          <Link
            to="/inbox"
            className={buttonClass()}
            onClick={() => writeTo.set({ contact: { id: contact.id, name } })}
          >
            <SquarePen className="i" />
            {words.write}
          </Link>
        )}
      </div>
      <ContactStates contact={contact} />
      <EditContact contact={contact} />
      <ContactLists contact={contact} />
      <ContactFacts contact={contact} />
      <EraseContact contact={contact} onErased={onErased} />
    </>
  )
}

function Failed({ error, retry }: { error: Error; retry: () => void }) {
  if (!(error instanceof ApiError && error.status === 404)) return <ErrorState error={error} retry={retry} />
  return (
    <Empty title={words.gone} says={words.goneSays}>
      <Link to="/contacts" className={buttonClass()}>
        {words.showAll}
      </Link>
    </Empty>
  )
}

function Waiting() {
  return (
    <Loading>
      <div className="stack stack-4">
        <Skeleton width="60%" height={20} />
        <Skeleton width="90%" height={34} />
        <Skeleton width="88%" height={34} />
        <Skeleton width="40%" height={20} />
      </div>
    </Loading>
  )
}
