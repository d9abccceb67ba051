import type { RechargeDelivery } from '@patchbay/contract/app/recharge-webhook.ts'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api.ts'
import { sayCredits } from '../credits/amount.ts'
import { queryClient } from '../queries.ts'
import { readPages } from '../read-pages.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Pages } from '../ui/pages.tsx'
import { Seg } from '../ui/seg.tsx'
import { Table } from '../ui/table.tsx'
import { Tag } from '../ui/tag.tsx'
import { Time } from '../ui/time.tsx'
import { showToast } from '../ui/toast.ts'
import { WaitingBlock } from '../ui/waiting.tsx'
import { sayCause } from '../words/faults.ts'
import { rechargeWords as words } from '../words/recharge.ts'

const filters = ['all', 'failed', 'waiting', 'sent'] as const

/** What was asked for, when, and what came of it. */
export function RechargeLog() {
  const [filter, setFilter] = useState<(typeof filters)[number]>('all')
  const pages = useInfiniteQuery({
    ...readPages('GET /api/agency/deliveries', { query: { filter } }),
    refetchInterval: 10_000, // a delivery of the agency's is hinted at by nobody
  })
  const deliveries = pages.data?.pages.flatMap((page) => page.deliveries) ?? []
  return (
    <section className="stack stack-3" aria-label={words.log}>
      <div className="row between wrap">
        <h2 className="h-section">{words.log}</h2>
        <Seg
          label={words.filter}
          value={filter}
          options={filters.map((value) => ({ value, label: words.filters[value] }))}
          onChange={setFilter}
        />
      </div>
      <Pages
        pages={pages}
        isEmpty={deliveries.length === 0}
        waiting={<WaitingBlock height={120} />}
        nothing={<Empty title={words.nothing} says={words.nothingSays} card />}
      >
        <Deliveries deliveries={deliveries} />
      </Pages>
    </section>
  )
}

function Deliveries({ deliveries }: { deliveries: RechargeDelivery[] }) {
  const resend = useMutation({
    mutationFn: (id: string) => call('POST /api/agency/deliveries/:id/resend', { params: { id } }),
    onSuccess: () => {
      showToast({ text: words.resent })
      void queryClient.invalidateQueries({ queryKey: ['GET /api/agency/deliveries'] })
    },
    onError: (error) => showToast({ text: sayError(error).title }),
  })
  return (
    <Table label={words.log} stacks>
      <thead>
        <tr>
          {Object.values(words.columns).map((name) => (
            <th key={name}>{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {deliveries.map((delivery) => (
          <tr key={delivery.id}>
            <td>
              <Time at={delivery.createdAt} as="clock" className="faint" />
            </td>
            <td>
              <Link to="/agency" search={{ id: delivery.accountId }}>
                {delivery.email}
              </Link>
            </td>
            <td className="mono">{words.asks(sayCredits(delivery.balance), sayCredits(delivery.amount))}</td>
            <td>
              <Status delivery={delivery} />
            </td>
            <td>
              {delivery.status !== 'Waiting' && (
                <Button
                  size="sm"
                  aria-label={words.againFor(delivery.email)}
                  busy={resend.isPending && resend.variables === delivery.id && words.sending}
                  onClick={() => resend.mutate(delivery.id)}
                >
                  {words.again}
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

const toneOf = { Sent: 'line', Waiting: 'wait', Failed: 'fail' } as const

function Status({ delivery: { status, fault, attempts, maxAttempts, nextAttemptAt } }: { delivery: RechargeDelivery }) {
  return (
    <span className="row wrap">
      <Tag tone={toneOf[status]}>{words.status[status]}</Tag>
      {fault && (
        <span className="small muted">
          {sayCause(fault)} {words.tries(attempts, maxAttempts)} {nextAttemptAt === null && words.notAgain}
        </span>
      )}
    </span>
  )
}
