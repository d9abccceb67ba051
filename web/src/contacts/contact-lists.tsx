import type { ShownContact } from '@patchbay/contract/app/contacts.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import X from 'lucide-react/icons/x'
import { call } from '../data/api.ts'
import { read } from '../data/queries.ts'
import { listWords } from '../lists/words.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Menu } from '../ui/menu.tsx'
import { showToast } from '../ui/toast.ts'
import { refreshContacts } from './contact-pages.ts'
import { contactWords as words } from './words.ts'

type Ref = { id: string; name: string }

/** The lists that a contact is on, and the way on and off them. */
export function ContactLists({ contact }: { contact: ShownContact }) {
  const { data } = useQuery(read('GET /api/lists'))
  const { add, remove } = useMembership(contact)
  const others = data?.lists.filter(({ id }) => !contact.lists.some((list) => list.id === id)) ?? []
  return (
    <section className="stack" aria-label={words.lists}>
      <h3 className="label">{words.lists}</h3>
      <div className="row wrap contact-lists">
        {contact.lists.length === 0 && <span className="faint">{words.noLists}</span>}
        {contact.lists.map((list) => (
          <span className="tag line contact-lists-tag" key={list.id}>
            <Link to="/lists/$listId" params={{ listId: list.id }}>
              <bdi>{list.name}</bdi>
            </Link>
            <button type="button" aria-label={words.removeFrom(list.name)} onClick={() => remove.mutate(list)}>
              <X className="i" />
            </button>
          </span>
        ))}
        {others.length > 0 && (
          <Menu
            label={words.addToList}
            items={others.map((list) => ({ label: list.name, run: () => add.mutate(list) }))}
            trigger={(props) => (
              <Button {...props} size="sm">
                <Plus className="i i-14" />
                {words.addToList}
              </Button>
            )}
          />
        )}
        {data?.lists.length === 0 && <Link to="/lists">{words.makeList}</Link>}
      </div>
    </section>
  )
}

/** Puts a contact on a list and takes it off again. Off has a way back: it is one click beside the name. */
export function useMembership(contact: ShownContact) {
  const onError = (error: Error) => showToast({ text: sayError(error).title })
  const name = contact.name ?? contact.phone ?? contact.email ?? words.contact
  const paramsOf = (list: Ref) => ({ params: { contactId: contact.id, listId: list.id } })
  const add = useMutation({
    mutationFn: (list: Ref) => call('PUT /api/contacts/:contactId/lists/:listId', paramsOf(list)),
    onSuccess: refreshContacts,
    onError,
  })
  const remove = useMutation({
    mutationFn: (list: Ref) => call('DELETE /api/contacts/:contactId/lists/:listId', paramsOf(list)),
    onSuccess: (_, list) => {
      showToast({ text: listWords.removed(name, list.name), undo: { run: () => add.mutate(list) } })
      return refreshContacts()
    },
    onError,
  })
  return { add, remove }
}
