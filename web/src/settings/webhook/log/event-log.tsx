import './delivery-log.css'
import type { DeliveryState } from '@patchbay/contract/app/webhook.ts'
import { type ComponentProps, Fragment, type ReactNode, useState } from 'react'
import { Empty } from '../../../ui/empty.tsx'
import { Pages } from '../../../ui/pages.tsx'
import { Seg } from '../../../ui/seg.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { WaitingBlock } from '../../../ui/waiting.tsx'
import { EventStatus } from './event-status.tsx'

const filters = ['all', 'failed', 'waiting', 'sent'] as const
export type EventFilter = (typeof filters)[number]

type Delivery = DeliveryState & { id: string; createdAt: string }

type EventLogProps<Event extends Delivery> = {
  words: {
    log: string
    filter: string
    filters: Record<EventFilter, string>
    /** The columns: when, what, and what came of it; `cell` is between the last two. */
    columns: Record<string, string>
    nothing: string
    nothingSays: string
  }
  className: string
  pages: ComponentProps<typeof Pages>['pages']
  deliveries: Event[]
  filter: EventFilter
  onFilter: (filter: EventFilter) => void
  /** What its row is opened by. */
  title: (delivery: Event) => string
  cell?: (delivery: Event) => ReactNode
  detail: (delivery: Event) => ReactNode
}

/** Events that are no replies: when each was made, and what came of it; one of them opened. */
export function EventLog<Event extends Delivery>(props: EventLogProps<Event>) {
  const { words, className, pages, deliveries, filter, onFilter } = props
  return (
    <section className={`stack stack-3 ${className}`} aria-label={words.log}>
      <div className="row between wrap">
        <h2 className="h-section">{words.log}</h2>
        <Seg
          label={words.filter}
          value={filter}
          options={filters.map((value) => ({ value, label: words.filters[value] }))}
          onChange={onFilter}
        />
      </div>
      <Pages
        pages={pages}
        isEmpty={deliveries.length === 0}
        waiting={<WaitingBlock height={120} />}
        nothing={<Empty title={words.nothing} says={words.nothingSays} card />}
      >
        <Deliveries {...props} />
      </Pages>
    </section>
  )
}

function Deliveries<Event extends Delivery>({ words, deliveries, title, cell, detail }: EventLogProps<Event>) {
  const [openId, setOpenId] = useState<string>()
  const columns = Object.values(words.columns)
  return (
    <div className="card">
      <Table label={words.log} inCard>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => {
            const isOpen = delivery.id === openId
            const onOpen = () => setOpenId(isOpen ? undefined : delivery.id)
            return (
              <Fragment key={delivery.id}>
                <Row
                  delivery={delivery}
                  isOpen={isOpen}
                  onOpen={onOpen}
                  title={title(delivery)}
                  cell={cell?.(delivery)}
                />
                {isOpen && (
                  <tr className="detail-row">
                    <td colSpan={columns.length} className="full">
                      {detail(delivery)}
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

type RowProps = { delivery: Delivery; title: string; cell: ReactNode; isOpen: boolean; onOpen: () => void }

function Row({ delivery, title, cell, isOpen, onOpen }: RowProps) {
  return (
    <tr className="log-row" aria-selected={isOpen}>
      <td>
        <Time at={delivery.createdAt} as="clock" className="faint" />
      </td>
      <th scope="row">
        <button type="button" className="log-open" aria-expanded={isOpen} onClick={onOpen} dir="auto">
          {title}
        </button>
      </th>
      {cell && <td className="mono">{cell}</td>}
      <td>
        <EventStatus delivery={delivery} />
      </td>
    </tr>
  )
}
