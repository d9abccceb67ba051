import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import ListIcon from 'lucide-react/icons/list'
import { read } from '../data/queries.ts'
import { Note } from '../ui/note.tsx'
import { manyWords as words } from './import/words.ts'

/** Says which list contacts are being chosen for, with the way back to it. */
export function ChoosingFor({ listId }: { listId: string }) {
  const { data } = useQuery(read('GET /api/lists'))
  const list = data?.lists.find(({ id }) => id === listId)
  if (!list) return null
  return (
    <div className="choosing-for">
      <Note icon={ListIcon}>
        {words.addingTo(list.name)}{' '}
        <Link to="/lists/$listId" params={{ listId }}>
          {words.backTo}
        </Link>
      </Note>
    </div>
  )
}
