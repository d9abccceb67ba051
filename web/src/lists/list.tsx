import './lists.css'
import '../ui/page.css'
import '../ui/surface.css'
import type { ShownList } from '@patchbay/contract/app/lists.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import Megaphone from 'lucide-react/icons/megaphone'
import Pencil from 'lucide-react/icons/pencil'
import Trash2 from 'lucide-react/icons/trash-2'
import { useState } from 'react'
import { ExportLink } from '../contacts/export-link.tsx'
import { read } from '../data/queries.ts'
import { useMay } from '../data/use-may.ts'
import { buttonClass } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { exactTime } from '../ui/format-time.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { useTitle } from '../ui/use-title.ts'
import { DeleteList } from './delete-list.tsx'
import { ListCall } from './list-call.tsx'
import { Members } from './members.tsx'
import { reachWords } from './reach-words.ts'
import { RenameList } from './rename-list.tsx'
import { listWords as words } from './words.ts'

const route = getRouteApi('/shell/lists/$listId')

/** One list: its ID and the call that uses it, then its members. */
export function List() {
  const { listId } = route.useParams()
  const { data } = useQuery(read('GET /api/lists'))
  const list = data?.lists.find(({ id }) => id === listId)
  if (list) return <ListDetails key={list.id} list={list} />
  return data ? <Gone /> : null
}

function ListDetails({ list }: { list: ShownList }) {
  useTitle(list.name)
  const { manage } = useMay()
  const [form, setForm] = useState<'rename' | 'delete'>()
  const close = () => setForm(undefined)
  return (
    <>
      <header className="page-head">
        {form === 'rename' ? (
          <RenameList list={list} onDone={close} />
        ) : (
          <>
            <h2 className="h-page cut">
              <bdi>{list.name}</bdi>
            </h2>
            <IconButton label={words.rename} small onClick={() => setForm('rename')}>
              <Pencil className="i i-14" />
            </IconButton>
            <About list={list} />
          </>
        )}
        <div className="row end">
          <ExportLink listId={list.id} />
          {manage && list.contacts > 0 && (
            <Link to="/broadcasts" search={{ to: list.id }} className={buttonClass()}>
              <Megaphone className="i" />
              {words.writeTo}
            </Link>
          )}
          {manage && (
            <IconButton label={words.deleteList} onClick={() => setForm('delete')}>
              <Trash2 className="i" />
            </IconButton>
          )}
        </div>
      </header>
      <div className="page">
        {form === 'delete' && <DeleteList list={list} onKeep={close} />}
        {list.contacts > 0 && <ListReach listId={list.id} />}
        <ListCall listId={list.id} />
        <Members list={list} />
      </div>
    </>
  )
}

function ListReach({ listId }: { listId: string }) {
  const { data } = useQuery(read('GET /api/lists/:listId/reach', { params: { listId } }))
  return data ? <p className="muted">{reachWords.reach(data)}</p> : null
}

function About({ list }: { list: ShownList }) {
  const made = new Date(list.createdAt)
  const date = made.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' })
  return (
    <span className="faint">
      {words.members(list.contacts)}
      {list.optedOut > 0 && ` · ${words.optedOut(list.optedOut)}`}
      {' · '}
      <time dateTime={list.createdAt} title={exactTime(made)}>
        {words.madeOn(date)}
      </time>
    </span>
  )
}

function Gone() {
  return (
    <Empty title={words.gone} says={words.goneSays}>
      <Link to="/lists" className={buttonClass()}>
        {words.toLists}
      </Link>
    </Empty>
  )
}
