import type { ShownBroadcast } from '@patchbay/contract/app/broadcasts.ts'
import { Link } from '@tanstack/react-router'
import Clock from 'lucide-react/icons/clock'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { Note } from '../ui/note.tsx'
import { Progress } from '../ui/progress.tsx'
import { formatTimeFor } from './time-left.ts'
import { broadcastWords as words } from './words.ts'

/** How far a broadcast is, why it waits if it does, and its figures, which add up at any moment. */
export function Running({ broadcast }: { broadcast: ShownBroadcast }) {
  const { counts, ratePerMinute, state, waiting, halted } = broadcast
  const done = counts.recipients - counts.waiting
  const isRunning = state === 'running' && !waiting
  return (
    <section className="stack stack-4" aria-label={words.progress}>
      {halted && (
        <Note tone="fail" icon={TriangleAlert} role="status">
          <b className="strong">{words.haltedBy[halted.reason]}</b> {words.haltedSays} <ToReceiver />
        </Note>
      )}
      {waiting && (
        <Note tone="wait" icon={Clock} role="status">
          <b className="strong">{words.waitsFor[waiting.reason]}</b> {words.waitsSays} <ToReceiver />
        </Note>
      )}
      <div className="stack stack-3">
        <p className="row wrap">
          <span className="mono">{words.progressOf(done, counts.recipients)}</span>
          {state === 'preparing' && <span className="muted">{words.preparing(counts.recipients)}</span>}
          {isRunning && (
            <span className="muted">
              {words.atRate(ratePerMinute)}
              {counts.waiting > 0 && ` · ${words.left(formatTimeFor(counts.waiting, ratePerMinute))}`}
            </span>
          )}
        </p>
        <Progress label={words.progress} done={done} all={counts.recipients} />
      </div>
      <Figures broadcast={broadcast} />
    </section>
  )
}

function ToReceiver() {
  return <Link to="/settings/webhook">{words.openReceiver}</Link>
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
