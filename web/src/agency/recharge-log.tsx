import '../settings/webhook/log/log.css'
import type { RechargeDelivery } from '@patchbay/contract/app/recharge-webhook.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { sayCredits } from '../credits/amount.ts'
import { readPages } from '../read-pages.ts'
import { Empty } from '../ui/empty.tsx'
import { Pages } from '../ui/pages.tsx'
import { Seg } from '../ui/seg.tsx'
import { Table } from '../ui/table.tsx'
import { Tag } from '../ui/tag.tsx'
import { Time } from '../ui/time.tsx'
import { WaitingBlock } from '../ui/waiting.tsx'
import { sayCause } from '../words/faults.ts'
import { rechargeWords as words } from '../words/recharge.ts'
import { RechargeDetail } from './recharge-detail.tsx'

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
  const [openId, setOpenId] = useState<string>()
  return (
    <div className="card recharge-log">
      <Table label={words.log} stacks inCard>
        <thead>
          <tr>
            {Object.values(words.columns).map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => {
            const isOpen = delivery.id === openId
            return (
              <Fragment key={delivery.id}>
                <Row {...{ delivery, isOpen }} onOpen={() => setOpenId(isOpen ? undefined : delivery.id)} />
                {isOpen && (
                  <tr className="detail-row">
                    <td colSpan={4} className="full">
                      <RechargeDetail delivery={delivery} />
                    </td>
                  </tr>
                )}
              </Fragment>
            )
          })}
        </tbody>
      </Table>
    </div>
  )
}

type RowProps = { delivery: RechargeDelivery; isOpen: boolean; onOpen: () => void }

function Row({ delivery, isOpen, onOpen }: RowProps) {
  return (
    <tr className="log-row" aria-selected={isOpen}>
      <td>
        <Time at={delivery.createdAt} as="clock" className="faint" />
      </td>
      <td>
        <button type="button" className="log-open" aria-expanded={isOpen} onClick={onOpen}>
          {delivery.email}
        </button>
      </td>
      <td className="mono">{words.asks(sayCredits(delivery.balance), sayCredits(delivery.amount))}</td>
      <td>
        <Status delivery={delivery} />
      </td>
    </tr>
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
