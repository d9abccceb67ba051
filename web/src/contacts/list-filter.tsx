import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import ListIcon from 'lucide-react/icons/list'
import X from 'lucide-react/icons/x'
import { read } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import { contactWords as words } from './words.ts'

type ContactSearch = { q?: string; list?: string }

/** Narrows the table to the contacts of one list. */
export function ListFilter({ listId }: { listId: string | undefined }) {
  const { data } = useQuery(read('GET /api/lists'))
  const navigate = useNavigate()
  if (!data || (data.lists.length === 0 && listId === undefined)) return null
  const choose = (list: string | undefined) =>
    void navigate({ to: '/contacts', search: (before: ContactSearch) => ({ ...before, list }) })
  const chosen = data.lists.find(({ id }) => id === listId)
  return (
    <div className="row list-filter">
      <Menu
        label={words.chooseList}
        items={[
          { label: words.anyList, run: () => choose(undefined) },
          ...data.lists.map(({ id, name }) => ({ label: name, run: () => choose(id) })),
        ]}
        trigger={(props) => (
          <Button {...props} look={chosen ? 'outline' : 'quiet'}>
            <ListIcon className="i" />
            <bdi className="cut">{chosen?.name ?? words.anyList}</bdi>
          </Button>
        )}
      />
      {listId !== undefined && (
        <IconButton label={words.showAll} onClick={() => choose(undefined)}>
          <X className="i" />
        </IconButton>
      )}
    </div>
  )
}
