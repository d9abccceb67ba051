import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { readPages } from '../../data/read-pages.ts'
import { type EventFilter, EventLog } from '../webhook/log/event-log.tsx'
import { isOverdue } from '../webhook/log/use-deliveries.ts'
import { AlertDetail } from './alert-detail.tsx'
import { alertWords as words } from './words.ts'

const overdueMs = 2_000

/** What was sent, when, and what came of it. */
export function AlertLog() {
  const [filter, setFilter] = useState<EventFilter>('all')
  const pages = useInfiniteQuery({
    ...readPages('GET /api/alerts/deliveries', { query: { filter, limit: '15' } }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.deliveries.some(isOverdue)) ? overdueMs : false,
  })
  return (
    <EventLog
      words={words}
      pages={pages}
      filter={filter}
      className="alert-log"
      deliveries={pages.data?.pages.flatMap((page) => page.deliveries) ?? []}
      onFilter={setFilter}
      title={({ text }) => withoutLink(text)}
      detail={(delivery) => <AlertDetail delivery={delivery} />}
    />
  )
}

/** Returns a text without the link to this app at its end, which says nothing here. */
function withoutLink(text: string): string {
  return text.replace(/ https?:\/\/\S+$/, '')
}
