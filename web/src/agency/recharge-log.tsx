import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatCredits } from '../credits/amount.ts'
import { readPages } from '../data/read-pages.ts'
import { type EventFilter, EventLog } from '../settings/webhook/log/event-log.tsx'
import { RechargeDetail } from './recharge-detail.tsx'
import { rechargeWords as words } from './recharge-words.ts'

/** What was asked for, when, and what came of it. */
export function RechargeLog() {
  const [filter, setFilter] = useState<EventFilter>('all')
  const pages = useInfiniteQuery({
    ...readPages('GET /api/agency/deliveries', { query: { filter } }),
    refetchInterval: 10_000, // a delivery of the agency's is hinted at by nobody
  })
  return (
    <EventLog
      words={words}
      pages={pages}
      filter={filter}
      className="recharge-log"
      deliveries={pages.data?.pages.flatMap((page) => page.deliveries) ?? []}
      onFilter={setFilter}
      title={({ email }) => email}
      cell={({ balance, amount }) => words.asks(formatCredits(balance), formatCredits(amount))}
      detail={(delivery) => <RechargeDetail delivery={delivery} />}
    />
  )
}
