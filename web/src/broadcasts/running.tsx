import type { ShownBroadcast } from '@patchbay/contract/app/broadcasts.ts'
import { Link } from '@tanstack/react-router'
import CalendarClock from 'lucide-react/icons/calendar-clock'
import Clock from 'lucide-react/icons/clock'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { Note } from '../ui/note.tsx'
import { Progress } from '../ui/progress.tsx'
import { formatTimeFor } from './time-left.ts'
import { broadcastWords as words } from './words.ts'
import { ZonedTime } from './zoned-time.tsx'

/** How far a broadcast is, why it waits if it does, and its figures, which add up at any moment. */
export function Running({ broadcast }: { broadcast: ShownBroadcast }) {
  const { counts, perMinute, state, waiting, halted, channelId } = broadcast
  const done = counts.recipients - counts.waiting
  const isRunning = state === 'running' && !waiting
  return (
    <section className="stack stack-4" aria-label={words.progress}>
      {halted && (
        <Note tone="fail" icon={TriangleAlert} role="status">
          <b className="strong">{words.haltedBy(halted.reason, channelId !== null)}</b>{' '}
          {words.haltedSays(halted.reason)} <ToCause broadcast={broadcast} reason={halted.reason} />
        </Note>
      )}
      {waiting && (
        <Note tone="wait" icon={Clock} role="status">
          <b className="strong">{words.waitsFor(waiting.reason, channelId !== null)}</b> {words.waitsSays}{' '}
          <ToCause broadcast={broadcast} reason={waiting.reason} />
        </Note>
      )}
      <div className="stack stack-3">
        <p className="row wrap">
          <span className="mono">{words.progressOf(done, counts.recipients)}</span>
          {state === 'preparing' && <span className="muted">{words.preparing(counts.recipients)}</span>}
          {isRunning && (
            <span className="muted">
              {words.atRate(perMinute)}
              {counts.waiting > 0 && ` · ${words.left(formatTimeFor(counts.waiting, perMinute))}`}
            </span>
          )}
        </p>
        <Progress label={words.progress} done={done} all={counts.recipients} />
      </div>
      <Figures broadcast={broadcast} />
    </section>
  )
}

type Reason = NonNullable<ShownBroadcast['halted']>['reason']

/** Where it is mended: the receiver, or the channel. */
function ToCause({ broadcast: { channelId }, reason }: { broadcast: ShownBroadcast; reason: Reason }) {
  if (reason === 'missed_start' || reason === 'no_credits') return null
  if (channelId === null) return <Link to="/settings/webhook">{words.openReceiver}</Link>
  return (
    <Link to="/channels/$channelId" params={{ channelId }}>
      {words.openChannel}
    </Link>
  )
}

/** When it starts, until it does. */
export function Scheduled({ startsAt }: { startsAt: string }) {
  return (
    <Note icon={CalendarClock} role="status">
      <b className="strong">
        {words.startsAt} <ZonedTime at={startsAt} />.
      </b>{' '}
      {words.peopleThen} {words.scheduledSays}
    </Note>
  )
}

function Figures({ broadcast: { counts } }: { broadcast: ShownBroadcast }) {
  const { figures } = words
  const leftOut = Object.values(counts.leftOut).reduce((sum, n) => sum + n, 0)
  const all = [
    { name: figures.recipients, count: counts.recipients },
    { name: figures.sent, count: counts.sent },
    { name: figures.failed, count: counts.failed, tone: counts.failed > 0 ? 'fail' : '' },
    { name: figures.waiting, count: counts.waiting },
    { name: figures.leftOut, count: leftOut },
    { name: figures.answered, count: counts.answered, says: words.answeredSays },
  ]
  return (
    <div className="stack stack-3">
      <dl className="broadcast-figures">
        {all.map(({ name, count, tone, says }) => (
          <div key={name} title={says}>
            <dt>{name}</dt>
            <dd className={tone}>{words.number(count)}</dd>
          </div>
        ))}
      </dl>
      <p className="small faint">{words.addsUp}</p>
    </div>
  )
}
