import './delivery-log.css'
import type { Delivery, deliveryFilters } from '@patchbay/contract/app/webhook.ts'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import RotateCw from 'lucide-react/icons/rotate-cw'
import { useDeferredValue, useState } from 'react'
import { useCommands } from '../../../commands/commands.ts'
import { keyWords } from '../../../commands/words.ts'
import { read } from '../../../data/queries.ts'
import { Button } from '../../../ui/button.tsx'
import { ErrorState } from '../../../ui/error-state.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { Seg } from '../../../ui/seg.tsx'
import { Loading, Skeleton } from '../../../ui/skeleton.tsx'
import { useMedia } from '../../../ui/use-media.ts'
import { countOf } from '../words.ts'
import { DeliveryDetail } from './detail.tsx'
import { NothingFound } from './nothing-found.tsx'
import { ResendFailed } from './resend-failed.tsx'
import { LogTable } from './table.tsx'
import { useDeliveries } from './use-deliveries.ts'
import { useSendAgain } from './use-send-again.ts'
import { deliveryWords as words } from './words.ts'

type Filter = (typeof deliveryFilters)[number]

/** All replies on their way to the receiver, with the attempts of the one that is chosen. Its id is in the address. */
export function DeliveryLog({ isBreakerOpen, isOwner }: { isBreakerOpen: boolean; isOwner: boolean }) {
  const [filter, setFilter] = useState<Filter>('all')
  const [q, setQ] = useState('')
  const [isResending, setResending] = useState(false)
  const searched = useDeferredValue(q.trim())
  const log = useDeliveries(filter, searched)
  const { chosen, choose } = useChosen(log.deliveries)
  const { sendAgain } = useSendAgain()
  useLogKeys(log.deliveries, chosen, { choose, again: (id) => sendAgain.mutate(id) })
  const { data: counts } = useQuery(read('GET /api/deliveries/counts'))
  return (
    <section className="stack stack-3" aria-label={words.deliveries}>
      <div className="row wrap">
        <h2 className="h-section">{words.deliveries}</h2>
        <Seg label={words.filter} value={filter} options={optionsOf(counts)} onChange={setFilter} />
        <SearchField
          className="log-search"
          label={words.search}
          placeholder={words.searchHint}
          value={q}
          onChange={setQ}
        />
        {isOwner && (counts?.failed ?? 0) > 0 && (
          <Button size="sm" className="end" aria-expanded={isResending} onClick={() => setResending(!isResending)}>
            <RotateCw className="i i-14" />
            {words.resendAsk}
          </Button>
        )}
      </div>
      {isResending && <ResendFailed onDone={() => setResending(false)} />}
      {log.error ? (
        <ErrorState error={log.error} retry={log.retry} />
      ) : log.isLoading ? (
        <LogLoading />
      ) : log.deliveries.length === 0 ? (
        <NothingFound filter={filter} q={searched} />
      ) : (
        <LogCard log={log} chosen={chosen} choose={choose} isBreakerOpen={isBreakerOpen} />
      )}
    </section>
  )
}

type CardProps = {
  log: ReturnType<typeof useDeliveries>
  chosen: string | undefined
  choose: (id: string | undefined) => void
  isBreakerOpen: boolean
}

/**
 * The list and the detail: beside it where it is wide. Else the detail opens under its row, or above all rows if it is
 * not among them.
 */
function LogCard({ log, chosen, choose, isBreakerOpen }: CardProps) {
  const isNarrow = useMedia('(width < 1280px)')
  const detail = chosen && <DeliveryDetail key={chosen} id={chosen} isBreakerOpen={isBreakerOpen} />
  const isListed = log.deliveries.some(({ id }) => id === chosen)
  return (
    <div className="log">
      <div className="log-list">
        {isNarrow && detail && !isListed && <div className="detail-above">{detail}</div>}
        <LogTable
          deliveries={log.deliveries}
          chosen={chosen}
          choose={choose}
          isBreakerOpen={isBreakerOpen}
          detail={isNarrow ? detail : undefined}
        />
        {log.hasMore && (
          <div className="bar log-foot">
            <Button size="sm" busy={log.isLoadingMore && words.loadingOlder} onClick={log.loadMore}>
              {words.older}
            </Button>
          </div>
        )}
        <div className="bar small faint log-foot">
          <span>{words.newestFirst}</span>
          <span className="row log-tight only-wide">
            <Kbd press="j" />
            <Kbd press="k" /> {words.move} <Kbd press="Shift+r" /> {words.sendAgain}
          </span>
        </div>
      </div>
      {!isNarrow && <aside className="detail-pane">{detail ?? <p className="muted">{words.choose}</p>}</aside>}
    </div>
  )
}

function LogLoading() {
  return (
    <Loading>
      <div className="card">
        {[0, 1, 2, 3, 4, 5].map((n) => (
          <div className="log-skeleton" key={n}>
            <Skeleton width={72} height={18} />
            <Skeleton width={`${60 - n * 5}%`} height={14} />
          </div>
        ))}
      </div>
    </Loading>
  )
}

function optionsOf(counts: { failed: number; waiting: number } | undefined) {
  const { failed = 0, waiting = 0 } = counts ?? {}
  return [
    { value: 'all', label: words.filters.all },
    {
      value: 'failed',
      label: (
        <>
          {words.filters.failed} {failed > 0 && <b className="fail">{countOf(failed)}</b>}
        </>
      ),
    },
    {
      value: 'waiting',
      label: (
        <>
          {words.filters.waiting} {waiting > 0 && <b>{countOf(waiting)}</b>}
        </>
      ),
    },
    { value: 'sent', label: words.filters.sent },
  ] as const
}

/** The delivery that the address names after #; on a wide screen the first one otherwise. */
function useChosen(deliveries: readonly Delivery[]) {
  const isNarrow = useMedia('(width < 1280px)')
  const { hash } = useLocation()
  const navigate = useNavigate()
  const named = hash.startsWith('msg_') ? hash : undefined
  return {
    chosen: named ?? (isNarrow ? undefined : deliveries[0]?.id),
    choose: (id: string | undefined) =>
      void navigate({
        to: '/settings/webhook',
        hash: id ?? '',
        replace: true,
        resetScroll: false,
        hashScrollIntoView: false,
      }),
  }
}

function useLogKeys(
  deliveries: readonly Delivery[],
  chosen: string | undefined,
  { choose, again }: { choose: (id: string) => void; again: (id: string) => void },
) {
  const move = (step: number) => {
    const at = deliveries.findIndex(({ id }) => id === chosen)
    const next = deliveries[Math.min(deliveries.length - 1, Math.max(0, at + step))]
    if (!next) return
    choose(next.id)
    document.getElementById(`row-${next.id}`)?.focus()
  }
  const group = { group: keyWords.thisPage }
  useCommands([
    { ...group, id: 'next event', label: words.keyNext, keys: 'j', run: () => move(1) },
    { ...group, id: 'previous event', label: words.keyBefore, keys: 'k', run: () => move(-1) },
    { ...group, id: 'again', label: words.again, keys: 'Shift+r', run: () => chosen && again(chosen) },
  ])
}
