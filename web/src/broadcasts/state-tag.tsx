import type { ShownBroadcast } from '@patchbay/contract/app/broadcasts.ts'
import { StatusDot } from '../ui/status-dot.tsx'
import { Tag } from '../ui/tag.tsx'
import { broadcastWords as words } from './words.ts'

/** Green runs, amber waits for somebody, red is halted; what has not begun or is over is neutral. */
export function StateTag({ broadcast }: { broadcast: ShownBroadcast }) {
  const { state, waiting, halted } = broadcast
  if (halted) return <DotTag tone="fail" name="halted" />
  if (waiting) return <DotTag tone="wait" name="waiting" />
  if (state === 'paused') return <DotTag tone="wait" name="paused" />
  if (state === 'running' || state === 'preparing') return <DotTag tone="ok" name={state} />
  return <Tag>{isCancelled(broadcast) ? words.cancelled : words.states[state]}</Tag>
}

/** It was stopped before its time. */
function isCancelled({ state, startsAt, endedAt }: ShownBroadcast): boolean {
  return state === 'stopped' && startsAt !== null && endedAt !== null && endedAt < startsAt
}

function DotTag({ tone, name }: { tone: 'ok' | 'wait' | 'fail'; name: keyof typeof words.states }) {
  return (
    <Tag tone={tone}>
      <StatusDot state={tone} />
      {words.states[name]}
    </Tag>
  )
}
