import { useQuery } from '@tanstack/react-query'
import SquarePen from 'lucide-react/icons/square-pen'
import { lazy, Suspense, useCallback, useDeferredValue, useEffect, useRef, useState } from 'react'
import { connection } from '../../data/live.ts'
import { read } from '../../data/queries.ts'
import { useStore } from '../../data/store.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { Tag } from '../../ui/tag.tsx'
import { loadMoreRows } from '../data/queries.ts'
import type { View } from '../filters.ts'
import { inboxWords as words } from '../words.ts'
import { writeWords } from '../write/words.ts'
import { writeTo } from '../write/write-to.ts'
import { EmptyList } from './empty-list.tsx'
import { Filters } from './filters.tsx'
import { FurtherFilters } from './further-filters.tsx'
import { leftWaiting } from './left-waiting.ts'
import { isHeading } from './list-keys.ts'
import { RowSkeletons } from './row-skeletons.tsx'
import { Rows } from './rows.tsx'
import { searchRequest } from './search-request.ts'
import { nextWaiting, shownIds } from './shown-ids.ts'
import { useHeld } from './use-held.ts'
import { useList } from './use-list.ts'

const SearchResults = lazy(() =>
  import('./search-results.tsx').then(({ SearchResults }) => ({ default: SearchResults })),
)

/** The conversations: search, filters, rows. */
export function ListPane({ view, openId }: { view: View; openId: string | undefined }) {
  const [q, setQ] = useState('')
  const wanted = useStore(searchRequest)
  useEffect(() => {
    if (wanted === '') return
    setQ(wanted)
    searchRequest.set('')
  }, [wanted])
  const sought = useDeferredValue(q.trim())
  return (
    <section className="pane pane-list" aria-label={words.conversations} data-pane="list">
      <div className="pane-head">
        <h1 className="h-page">{words.title}</h1>
        <LiveTag />
        <IconButton
          label={writeWords.pencil}
          className="write-pencil"
          onClick={() => writeTo.set({ contact: undefined })}
        >
          <SquarePen className="i" />
        </IconButton>
      </div>
      <div className="list-search">
        <SearchField label={words.search} placeholder={words.searchHint} value={q} onChange={setQ} />
        <FurtherFilters view={view} />
      </div>
      {sought === '' ? (
        <>
          <Filters view={view} />
          <Conversations key={view} view={view} openId={openId} />
        </>
      ) : (
        <Suspense fallback={<RowSkeletons />}>
          <SearchResults q={sought} openId={openId} />
        </Suspense>
      )}
      <Legend />
    </section>
  )
}

function Conversations({ view, openId }: { view: View; openId: string | undefined }) {
  const { isHeld, release, events } = useHeld()
  const list = useList(view, openId, isHeld)
  const { data: counts } = useQuery(read('GET /api/counts'))
  const isLoadingMore = useRef(false)
  const was = useRef<readonly string[]>([])
  useEffect(() => {
    shownIds.set(list.keys.filter((key) => !isHeading(key)))
    const keys = { was: was.current, is: view === 'all' ? list.keys : [] }
    nextWaiting.set(leftWaiting(nextWaiting.get(), openId, keys))
    was.current = list.keys
  }, [list.keys, openId, view])
  const loadMore = useCallback(() => {
    if (isLoadingMore.current) return
    isLoadingMore.current = true
    void loadMoreRows(view)
      .catch(() => {}) // tried again at the next scroll
      .finally(() => {
        isLoadingMore.current = false
      })
  }, [view])
  if (list.error) return <ErrorState error={list.error} retry={list.retry} />
  if (list.isLoading) return <RowSkeletons />
  if (list.keys.length === 0 && list.hasMore) return <MoreToLook onShown={loadMore} />
  if (list.keys.length === 0) return <EmptyList view={view} />
  return (
    <div className="convos-frame" {...events}>
      {list.heldBack > 0 && (
        <button type="button" className="held-back" onClick={release}>
          {words.newInList(list.heldBack)}
        </button>
      )}
      <Rows list={list} openId={openId} longestSince={counts?.longestWaitingSince ?? null} onEnd={loadMore} />
    </div>
  )
}

/** Fetches on while it is shown: a page of a channel may be empty although there are more. */
function MoreToLook({ onShown }: { onShown: () => void }) {
  useEffect(() => {
    const timer = setInterval(onShown, 100)
    return () => clearInterval(timer)
  }, [onShown])
  return <RowSkeletons />
}

function LiveTag() {
  const isLive = useStore(connection).state === 'connected'
  return (
    <Tag title={isLive ? words.liveHint : words.notLiveHint}>
      <StatusDot state={isLive ? 'ok' : 'off'} />
      {isLive ? words.live : words.notLive}
    </Tag>
  )
}

function Legend() {
  return (
    <div className="keys" aria-hidden="true">
      <span>
        <Kbd press="j" />
        <Kbd press="k" /> {words.legend.move}
      </span>
      <span>
        <Kbd press="r" /> {words.legend.reply}
      </span>
      <span>
        <Kbd press="e" /> {words.legend.close}
      </span>
      <span>
        <Kbd press="t" /> {words.legend.takeOver}
      </span>
      <span className="end">
        <Kbd press="?" />
      </span>
    </div>
  )
}
