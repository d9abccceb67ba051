import type { BroadcastRecipient, ShownBroadcast } from '@patchbay/contract/app/broadcasts.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { readPages } from '../data/read-pages.ts'
import { Button } from '../ui/button.tsx'
import { sayCause } from '../ui/delivery-error-words.ts'
import { nameOf } from '../ui/name-of.ts'
import { Pages } from '../ui/pages.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { WaitingBlock } from '../ui/waiting.tsx'
import { broadcastWords as words } from './words.ts'

/** Why messages failed, and whose. */
export function Failures({ broadcast: { id, counts, failures } }: { broadcast: ShownBroadcast }) {
  return (
    <section className="card" aria-label={words.failures}>
      <h2 className="card-head h-section">{words.failures}</h2>
      {counts.failed === 0 ? (
        <p className="card-body muted">{words.noFailures}</p>
      ) : (
        <>
          <ul className="card-body broadcast-causes">
            {failures.map((cause) => (
              <li key={`${cause.category} ${cause.httpStatus}`}>
                <span className="mono">{words.number(cause.count)}</span> {sayCause({ ...cause, detail: null })}
              </li>
            ))}
          </ul>
          <Recipients
            id={id}
            which="failed"
            table={words.failedTable}
            columns={words.failedColumns}
            causeOf={sayCauseOf}
          />
        </>
      )}
    </section>
  )
}

/** Who answered, with the way to their conversation. */
export function Answers({ broadcast: { id, counts } }: { broadcast: ShownBroadcast }) {
  return (
    <section className="card" aria-label={words.answersTable}>
      <h2 className="card-head h-section">{words.answersTable}</h2>
      {counts.answered === 0 ? (
        <p className="card-body muted">{words.answersNone}</p>
      ) : (
        <Recipients id={id} which="answered" table={words.answersTable} columns={words.answersColumns} />
      )}
    </section>
  )
}

type RecipientsProps = {
  id: string
  which: 'failed' | 'answered' | 'left out'
  table: string
  columns: { who: string; cause?: string; when: string }
  causeOf?: (recipient: BroadcastRecipient) => string
}

function Recipients({ id, which, table, columns, causeOf }: RecipientsProps) {
  const pages = useInfiniteQuery(
    readPages('GET /api/broadcasts/:broadcastId/recipients', { params: { broadcastId: id }, query: { which } }),
  )
  const all = pages.data?.pages.flatMap(({ recipients }) => recipients) ?? []
  return (
    <Pages
      pages={pages}
      isEmpty={all.length === 0}
      waiting={<WaitingBlock height={80} />}
      nothing={<p className="card-body muted">{words.olderRemoved}</p>}
      more={words.more}
      wide
    >
      <Table label={table} inCard className="recipient-table">
        <thead>
          <tr>
            <th scope="col">{columns.who}</th>
            {causeOf && <th scope="col">{columns.cause}</th>}
            <th scope="col">{columns.when}</th>
          </tr>
        </thead>
        <tbody>
          {all.map((recipient) => (
            <tr key={recipient.n}>
              <th scope="row">
                <Who recipient={recipient} hasThread={which !== 'left out'} />
              </th>
              {causeOf && <td>{causeOf(recipient)}</td>}
              <td>
                <Time at={recipient.at} />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Pages>
  )
}

const sayCauseOf = ({ category, httpStatus }: BroadcastRecipient) =>
  sayCause({ category: category ?? '', httpStatus, detail: null })

/** Who was left out may never have written: their contact is shown in place of a conversation. */
function Who({ recipient, hasThread }: { recipient: BroadcastRecipient; hasThread: boolean }): ReactNode {
  const { contactId, externalId } = recipient
  if (contactId === null) return <span className="faint">{words.erasedContact}</span>
  return (
    <Link to={hasThread ? '/inbox/$contactId' : '/contacts/$contactId'} params={{ contactId }}>
      <bdi>{nameOf(recipient) ?? externalId ?? contactId}</bdi>
    </Link>
  )
}

/** How many got nothing and why, and who. Those who wait when it is stopped are not listed: they are all the others. */
export function LeftOut({ broadcast }: { broadcast: ShownBroadcast }) {
  const { id, counts } = broadcast
  const [isOpen, setOpen] = useState(false)
  const all = ['optedOut', 'blocked', 'noId', 'noAddress', 'idTaken', 'erased', 'stopped'] as const
  const reasons = all.filter((reason) => counts.leftOut[reason] > 0)
  const isListed = reasons.some((reason) => reason !== 'stopped')
  return (
    <section className="card" aria-label={words.leftOut}>
      <h2 className="card-head h-section">{words.leftOut}</h2>
      {reasons.length === 0 ? (
        <p className="card-body muted">{words.nobodyLeftOut}</p>
      ) : (
        <div className="card-body stack stack-4">
          <ul className="broadcast-causes">
            {reasons.map((reason) => (
              <li key={reason}>
                <span className="mono">{words.number(counts.leftOut[reason])}</span>{' '}
                {words.leftOutWhy(reason, broadcast)}
              </li>
            ))}
          </ul>
          {isListed && (
            <div>
              <Button size="sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
                {isOpen ? words.hideWho : words.showWho}
              </Button>
            </div>
          )}
        </div>
      )}
      {isListed && isOpen && (
        <Recipients
          id={id}
          which="left out"
          table={words.leftOutTable}
          columns={words.leftOutColumns}
          causeOf={({ category }) => words.leftOutReasons(category ?? '', broadcast)}
        />
      )}
    </section>
  )
}
