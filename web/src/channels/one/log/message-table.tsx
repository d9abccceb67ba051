import '../../../settings/webhook/log/delivery-log.css'
import type { Delivery } from '@patchbay/contract/app/webhook.ts'
import { Fragment } from 'react'
import { Table } from '../../../ui/table.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { Time } from '../../../ui/time.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { MessageDetail } from './message-detail.tsx'
import { sayNext, sayWhy, stateOf, tones } from './say-state.ts'
import { logWords as words } from './words.ts'

type Props = {
  channelId: string
  /** What people call the provider. */
  kind: string
  deliveries: readonly Delivery[]
  opened: string | undefined
  open: (id: string | undefined) => void
}

/** A row each; the detail of the one that is open stands below it, or above all if it is not among them. */
export function MessageTable({ channelId, kind, deliveries, opened, open }: Props) {
  const detail = opened !== undefined && <MessageDetail key={opened} {...{ channelId, kind, id: opened }} />
  const isListed = deliveries.some(({ id }) => id === opened)
  return (
    <div className="card">
      {detail && !isListed && <div className="detail-above">{detail}</div>}
      <Table label={words.messages} inCard className="message-log">
        <thead>
          <tr>
            {Object.values(words.columns).map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => {
            const isOpen = delivery.id === opened
            return (
              <Fragment key={delivery.id}>
                <Row
                  delivery={delivery}
                  kind={kind}
                  isOpen={isOpen}
                  onOpen={() => open(isOpen ? undefined : delivery.id)}
                />
                {isOpen && (
                  <tr className="detail-row">
                    <td colSpan={3} className="full">
                      {detail}
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

type RowProps = { delivery: Delivery; kind: string; isOpen: boolean; onOpen: () => void }

function Row({ delivery, kind, isOpen, onOpen }: RowProps) {
  const { id, contactName, author, text, createdAt, fault } = delivery
  const state = stateOf(delivery)
  const now = useNow(delivery.nextAttemptAt === null ? 'minute' : 'second')
  return (
    <tr className="log-row" aria-selected={isOpen}>
      <td className="message-log-at">
        <Time at={createdAt} as="clock" className="faint" />
      </td>
      <th scope="row" className="message-log-what">
        <button type="button" id={`row-${id}`} className="log-open" aria-expanded={isOpen} onClick={onOpen}>
          <bdi className="cut">{contactName ?? words.noName}</bdi>
        </button>
        <span className="muted message-log-text" dir="auto">
          <span className="sr">{words.authors[author]}: </span>
          {text}
        </span>
      </th>
      <td className="message-log-state">
        <Tag tone={tones[state]}>{words.states[state]}</Tag>
        {fault && state !== 'held' && (
          <span className="small muted">
            {sayWhy(fault, kind)} {sayNext(delivery, now)}
          </span>
        )}
      </td>
    </tr>
  )
}
