import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import { connection } from '../data/live.ts'
import { useStore } from '../data/store.ts'
import { classes } from '../ui/classes.ts'
import { exactTime, secondTime } from '../ui/format-time.ts'
import { StatusDot } from '../ui/status-dot.tsx'
import { Tag } from '../ui/tag.tsx'
import { firstRunWords as words } from './words.ts'

/** What came and went last, as far as it is kept. */
export function Calls({ calls }: { calls: FirstRun['calls'] }) {
  const { state } = useStore(connection)
  return (
    <div className="stack">
      <div className="row between">
        <h2 className="h-section">{words.calls}</h2>
        {state === 'connected' && (
          <Tag>
            <StatusDot state="ok" />
            {words.live}
          </Tag>
        )}
      </div>
      {calls.length === 0 && <p className="muted">{words.noCalls}</p>}
      <ul className="calls">
        {calls.map(({ at, kind, outcome, isSimulated }) => (
          <li key={`${at} ${kind}`}>
            <time className="call-time" dateTime={at} title={exactTime(new Date(at))}>
              {secondTime(new Date(at))}
            </time>
            <span className="cut">
              {words.kinds[kind]} {isSimulated && <span className="faint">{words.ofSimulator}</span>}
            </span>
            <span className={classes(toneOf(outcome))}>{outcome}</span>
          </li>
        ))}
      </ul>
      <p className="small muted">{words.onlyWithKey}</p>
    </div>
  )
}

function toneOf(outcome: string): 'wait' | 'fail' | undefined {
  if (outcome === '' || outcome === 'Sent' || outcome === '200') return undefined
  return outcome === 'Waiting' ? 'wait' : 'fail'
}
