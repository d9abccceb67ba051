import type { ChannelReach } from '@patchbay/contract/app/broadcasts.ts'
import { useQuery } from '@tanstack/react-query'
import { read } from '../data/queries.ts'
import { isBuiltIn, type Texts } from './draft.ts'
import { formatTimeFor } from './time-left.ts'
import { broadcastWords as words } from './words.ts'

/** What of a list a built-in channel reaches; undefined: none is chosen, or it is not known yet. */
export function useChannelReach({ listId, by }: Pick<Texts, 'listId' | 'by'>): ChannelReach | undefined {
  const enabled = listId !== '' && isBuiltIn(by)
  const params = { listId, channelId: by }
  const { data } = useQuery({ ...read('GET /api/lists/:listId/reach/:channelId', { params }), enabled })
  return enabled ? data : undefined
}

/** Beside the form, before anything is sent: how many get it, how long it takes, who is left out and why. */
export function ReachCard({ reach, rate }: { reach: ChannelReach; rate: string }) {
  const { contacts, optedOut, blocked, noId, idTaken, mostPerMinute, writesFirstTo } = reach
  const left = optedOut + blocked + noId + idTaken
  const readers = contacts - left
  const perMinute = Math.min(Number(rate) || mostPerMinute, mostPerMinute)
  const reasons = [
    { name: 'noId', count: noId, says: words.leftOutOver.noId(writesFirstTo) },
    { name: 'optedOut', count: optedOut, says: words.leftOutOver.optedOut },
    { name: 'blocked', count: blocked, says: words.leftOutOver.blocked },
    { name: 'idTaken', count: idTaken, says: words.leftOutOver.idTaken },
  ].filter(({ count }) => count > 0)
  return (
    <aside className="stack stack-4" aria-label={words.reachCard}>
      <div role="status">
        <h2 className="h-section">{readers === 0 ? words.nobody : words.gets(readers)}</h2>
        {readers > 0 && <p className="muted">{words.takes(formatTimeFor(readers, perMinute))}</p>}
      </div>
      {left > 0 && (
        <section className="card" aria-label={words.leftOut}>
          <h2 className="card-head h-section">{words.leftOutOfAll(left, contacts)}</h2>
          <ul className="card-body broadcast-causes">
            {reasons.map(({ name, count, says }) => (
              <li key={name}>
                <span className="mono">{words.number(count)}</span> {says}
              </li>
            ))}
          </ul>
        </section>
      )}
    </aside>
  )
}
