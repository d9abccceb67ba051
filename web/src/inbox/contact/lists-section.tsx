import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import X from 'lucide-react/icons/x'
import { read } from '../../data/queries.ts'
import { Menu } from '../../ui/menu.tsx'
import { useActions } from '../data/use-actions.ts'
import { inboxWords as words } from '../words.ts'

/** The lists that the contact is on. */
export function ListsSection({ detail: { lists, contact } }: { detail: ConversationDetail }) {
  const { addToList, removeFromList } = useActions(contact.id)
  return (
    <section className="panel-sec">
      <h3>
        {words.lists} <AddToList taken={lists.map(({ id }) => id)} add={(id) => void addToList(id)} />
      </h3>
      {lists.length === 0 ? (
        <p className="small muted">{words.onNoList}</p>
      ) : (
        <ul className="row wrap list-tags">
          {lists.map(({ id, name }) => (
            <li className="tag line" key={id}>
              <Link to="/lists/$listId" params={{ listId: id }} className="cut">
                <bdi>{name}</bdi>
              </Link>
              <button
                type="button"
                aria-label={words.removeFromList(name)}
                title={words.removeFromList(name)}
                onClick={() => void removeFromList(id)}
              >
                <X className="i" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function AddToList({ taken, add }: { taken: readonly string[]; add: (listId: string) => void }) {
  const { data } = useQuery(read('GET /api/lists'))
  const others = (data?.lists ?? []).filter(({ id }) => !taken.includes(id))
  const items = others.map(({ id, name }) => ({ label: name, run: () => add(id) }))
  const none = [{ label: words.noListLeft, disabled: true, run: () => {} }]
  return (
    <Menu
      label={words.addToListLong}
      items={items.length > 0 ? items : none}
      trigger={(props) => (
        <button type="button" className="link small" aria-label={words.addToListLong} {...props}>
          {words.addToList}
        </button>
      )}
    />
  )
}
