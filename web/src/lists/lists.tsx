import './lists.css'
import '../ui/side-nav.css'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import { useEffect, useState } from 'react'
import { useCommands } from '../commands/commands.ts'
import { keyWords } from '../commands/words.ts'
import { onHint } from '../data/live.ts'
import { queryClient, read } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { Empty } from '../ui/empty.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { useTitle } from '../ui/use-title.ts'
import { NewList } from './new-list.tsx'
import { listWords as words } from './words.ts'

/** All lists at the left, the one that is open beside them; on a narrow screen one or the other. */
export function Lists() {
  const lists = useQuery(read('GET /api/lists'))
  const { listId } = useParams({ strict: false })
  const [isMaking, setMaking] = useState(false)
  const make = () => setMaking(true)
  useCommands([{ id: 'new list', label: words.keys.create, keys: 'n', group: keyWords.thisPage, run: make }])
  useEffect(
    () =>
      onHint(({ topic }) => {
        if (topic === 'lists' || topic === 'contacts' || topic === 'everything') {
          for (const route of ['GET /api/lists', 'GET /api/lists/:listId/reach']) {
            void queryClient.invalidateQueries({ queryKey: [route] })
          }
        }
      }),
    [],
  )
  useOpenFirst(lists.data?.lists[0]?.id, listId)
  return (
    <div className={classes('with-nav lists', listId !== undefined && 'one-open')}>
      <div className="with-nav-side">
        <div className="row between lists-head">
          <h1 className="h-page">
            <Link to="/lists">{words.title}</Link>
          </h1>
          <IconButton label={words.newList} onClick={make}>
            <Plus className="i" />
          </IconButton>
        </div>
        {isMaking && <NewList onDone={() => setMaking(false)} />}
        {lists.data ? <ListNav lists={lists.data.lists} /> : !lists.error && <ListNavWaiting />}
      </div>
      <div className="lists-main">
        {lists.error && !lists.data ? (
          <ErrorState error={lists.error} retry={() => void lists.refetch()} />
        ) : lists.data?.lists.length === 0 ? (
          <NoLists onMake={make} />
        ) : (
          <Outlet />
        )}
      </div>
    </div>
  )
}

/** Opens the first list where there is room for both: one is always open then. */
function useOpenFirst(first: string | undefined, open: string | undefined): void {
  const navigate = useNavigate()
  useTitle(words.title)
  useEffect(() => {
    if (open !== undefined || first === undefined || !matchMedia('(width >= 1024px)').matches) return
    void navigate({ to: '/lists/$listId', params: { listId: first }, replace: true })
  }, [first, open, navigate])
}

function ListNav({ lists }: { lists: readonly { id: string; name: string; contacts: number }[] }) {
  return (
    <nav className="lists-nav" aria-label={words.nav}>
      {lists.map(({ id, name, contacts }) => (
        <Link key={id} to="/lists/$listId" params={{ listId: id }} activeProps={{ 'aria-current': 'page' }}>
          <bdi className="cut">{name}</bdi>
          <span className="lists-count">
            {words.number(contacts)}
            <span className="sr"> {words.members(contacts).replace(/^\S+ /, '')}</span>
          </span>
        </Link>
      ))}
    </nav>
  )
}

function ListNavWaiting() {
  return (
    <Loading>
      <div className="lists-nav">
        {[120, 60, 90, 140].map((width) => (
          <span key={width} className="lists-waiting">
            <Skeleton width={width} />
          </span>
        ))}
      </div>
    </Loading>
  )
}

function NoLists({ onMake }: { onMake: () => void }) {
  return (
    <Empty title={words.empty} says={words.emptySays} art>
      <Button onClick={onMake}>{words.newList}</Button>
    </Empty>
  )
}
