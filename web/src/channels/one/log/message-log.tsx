import './log.css'
import type { deliveryFilters } from '@patchbay/contract/app/webhook.ts'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { readPages } from '../../../data/read-pages.ts'
import { useRefresh } from '../../../data/use-refresh.ts'
import { deliveryQuery, useDeliveryPages } from '../../../settings/webhook/log/use-deliveries.ts'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { ErrorState } from '../../../ui/error-state.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { Seg } from '../../../ui/seg.tsx'
import { WaitingBlock } from '../../../ui/waiting.tsx'
import { uiWords } from '../../../ui/words.ts'
import { MessageTable } from './message-table.tsx'
import { logWords as words } from './words.ts'

type Filter = (typeof deliveryFilters)[number]

const filters = ['all', 'failed', 'waiting', 'sent'] as const

/** Every message over the channel, newest first, with what became of it; one of them opened. Its id is in the address. */
export function MessageLog({ channelId, kind }: { channelId: string; kind: string }) {
  const [filter, setFilter] = useState<Filter>('all')
  const [q, setQ] = useState('')
  const searched = useDeferredValue(q.trim())
  const params = { channelId }
  const log = useDeliveryPages(
    readPages('GET /api/channels/:channelId/deliveries', { params, query: deliveryQuery(filter, searched) }),
  )
  useRefresh(
    ['channels', 'webhook', 'conversation'],
    ['GET /api/channels/:channelId/deliveries', 'GET /api/channels/:channelId/deliveries/:id'],
  )
  const { opened, open } = useOpened(channelId)
  return (
    <section className="stack stack-3" aria-label={words.messages}>
      <div className="row wrap">
        <h2 className="h-section">{words.messages}</h2>
        <Seg
          label={words.filter}
          value={filter}
          options={filters.map((value) => ({ value, label: words.filters[value] }))}
          onChange={setFilter}
        />
        <SearchField
          className="message-log-search"
          label={words.search}
          placeholder={words.searchHint}
          value={q}
          onChange={setQ}
        />
      </div>
      {log.error ? (
        <ErrorState error={log.error} retry={log.retry} />
      ) : log.isLoading ? (
        <WaitingBlock height={160} />
      ) : log.deliveries.length === 0 ? (
        <Nothing filter={filter} q={searched} />
      ) : (
        <MessageTable deliveries={log.deliveries} {...{ channelId, kind, opened, open }} />
      )}
      {log.hasMore && (
        <div className="row">
          <Button busy={log.isLoadingMore && uiWords.loading} onClick={log.loadMore}>
            {uiWords.older}
          </Button>
        </div>
      )}
    </section>
  )
}

function Nothing({ filter, q }: { filter: Filter; q: string }) {
  const [title, says] = q === '' ? words.none[filter] : [words.noneFound(q), words.noneFoundSays]
  return <Empty card title={title} says={says} />
}

/** The message that the address names after #. */
function useOpened(channelId: string) {
  const hash = useRouterState({ select: ({ location }) => location.hash })
  const navigate = useNavigate()
  return {
    opened: hash.startsWith('msg_') ? hash : undefined,
    open: (id: string | undefined) =>
      void navigate({
        ...{ to: '/channels/$channelId', params: { channelId }, hash: id ?? '' },
        ...{ replace: true, resetScroll: false, hashScrollIntoView: false },
      }),
  }
}
