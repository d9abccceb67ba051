import './raw.css'
import '../../../settings/webhook/log/delivery-log.css'
import type { RawEvent } from '@patchbay/contract/app/channels.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Fragment, useId, useState } from 'react'
import { readPages } from '../../../data/read-pages.ts'
import { useRefresh } from '../../../data/use-refresh.ts'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { Pages } from '../../../ui/pages.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { WaitingBlock } from '../../../ui/waiting.tsx'
import { rawWords as words } from './words.ts'

/** For owners: what the provider sent and nobody here could read, as it came; and what was only counted. */
export function NotUnderstood({ channelId, isOwner }: { channelId: string; isOwner: boolean }) {
  const id = useId()
  return (
    <section className="stack stack-3" aria-labelledby={id}>
      <div>
        <h2 className="h-section" id={id}>
          {words.title}
        </h2>
        <p className="muted">{isOwner ? words.says : words.ownerOnly}</p>
      </div>
      {isOwner && <Events channelId={channelId} />}
    </section>
  )
}

function Events({ channelId }: { channelId: string }) {
  const pages = useInfiniteQuery(readPages('GET /api/channels/:channelId/events', { params: { channelId } }))
  useRefresh(['channels', 'conversation'], ['GET /api/channels/:channelId/events'])
  const events = pages.data?.pages.flatMap((page) => page.events) ?? []
  const counted = pages.data?.pages[0]?.counted ?? []
  return (
    <>
      <Pages
        pages={pages}
        isEmpty={events.length === 0}
        waiting={<WaitingBlock height={80} />}
        nothing={<p className="muted">{words.none}</p>}
      >
        <EventTable events={events} />
      </Pages>
      {counted.length > 0 && (
        <div className="small muted">
          {words.counted}
          <ul className="raw-counted">
            {counted.map(({ why, times, lastAt }) => (
              <li key={why}>
                {words.times(why, times)} <Time at={lastAt} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

function EventTable({ events }: { events: readonly RawEvent[] }) {
  const [opened, setOpened] = useState<string>()
  return (
    <div className="card">
      <Table label={words.title} inCard className="raw-table">
        <thead>
          <tr>
            <th scope="col">{words.columns.at}</th>
            <th scope="col">{words.columns.why}</th>
            <th scope="col" className="num">
              {words.columns.size}
            </th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => {
            const isOpen = event.id === opened
            return (
              <Fragment key={event.id}>
                <tr className="log-row" aria-selected={isOpen}>
                  <td className="raw-table-at">
                    <Time at={event.at} as="clock" className="faint" />
                  </td>
                  <th scope="row">
                    <button
                      type="button"
                      className="log-open"
                      aria-expanded={isOpen}
                      onClick={() => setOpened(isOpen ? undefined : event.id)}
                    >
                      {event.why}
                    </button>
                  </th>
                  <td className="num">{words.characters(event.characters)}</td>
                </tr>
                {isOpen && (
                  <tr className="detail-row">
                    <td colSpan={3} className="full">
                      <Body event={event} />
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

function Body({ event: { body, characters } }: { event: RawEvent }) {
  const isWhole = body.length === characters
  return (
    <div className="stack raw-body">
      <CodeBlock text={body} label={words.copy} wraps>
        {isWhole ? inLines(body) : body}
      </CodeBlock>
      {!isWhole && <p className="small faint">{words.cut(body.length, characters)}</p>}
    </div>
  )
}

/** With its lines indented where it is JSON; as it came where it is not. */
function inLines(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
