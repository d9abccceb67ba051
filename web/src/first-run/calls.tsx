import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import { CallList } from '../ui/call-list.tsx'
import { firstRunWords as words } from './words.ts'

/** What came and went last, as far as it is kept. */
export function Calls({ calls }: { calls: FirstRun['calls'] }) {
  const shown = calls.map(({ at, kind, outcome, isSimulated }) => ({
    key: `${at} ${kind}`,
    at,
    what: (
      <>
        {words.kinds[kind]} {isSimulated && <span className="faint">{words.ofSimulator}</span>}
      </>
    ),
    outcome,
    tone: toneOf(outcome),
  }))
  return (
    <div className="stack">
      <CallList title={words.calls} none={words.noCalls} calls={shown} />
      <p className="small muted">{words.onlyWithKey}</p>
    </div>
  )
}

function toneOf(outcome: string): 'wait' | 'fail' | undefined {
  if (outcome === '' || outcome === 'Sent' || outcome === '200') return undefined
  return outcome === 'Waiting' ? 'wait' : 'fail'
}
