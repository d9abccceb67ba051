import type { Attempt, DeliveryState } from '@patchbay/contract/app/webhook.ts'
import type { ReactNode } from 'react'
import { sayCause } from '../../../ui/delivery-error-words.ts'
import { exactTime, secondTime } from '../../../ui/format-time.ts'
import { StatusDot } from '../../../ui/status-dot.tsx'
import { deliveryWords as words } from './words.ts'

type Props = {
  delivery: Pick<DeliveryState, 'nextAttemptAt' | 'createdAt'>
  attempts: readonly Attempt[]
  isBreakerOpen: boolean
  /** Says how it was made. */
  made: string
}

/** The way of a post so far, newest first, down to when it was made. */
export function Attempts({ delivery: { nextAttemptAt, createdAt }, attempts, isBreakerOpen, made }: Props) {
  const isHeldBack = isBreakerOpen && nextAttemptAt !== null && Date.parse(nextAttemptAt) <= Date.now()
  return (
    <div>
      <h4 className="label">{words.attempts}</h4>
      <ol className="attempts">
        {nextAttemptAt !== null && (
          <Line dot="off" at={nextAttemptAt}>
            <span className="muted">{isHeldBack ? words.waitsInLine : words.scheduled}</span>
          </Line>
        )}
        {attempts.map((attempt) => (
          <AttemptLine key={attempt.n} attempt={attempt} />
        ))}
        <Line dot="idle" at={createdAt}>
          <span className="muted">{made}</span>
        </Line>
      </ol>
    </div>
  )
}

function AttemptLine({ attempt: { at, durationMs, fault } }: { attempt: Attempt }) {
  const isInDoubt = fault?.category === 'in_doubt'
  return (
    <Line dot={fault ? (isInDoubt ? 'wait' : 'fail') : 'ok'} at={at} durationMs={durationMs}>
      {fault === null ? (
        words.taken
      ) : fault.httpStatus === null ? (
        <span className={isInDoubt ? 'wait strong' : 'fail strong'}>{sayCause(fault)}</span>
      ) : (
        <>
          <b className="mono fail">{fault.httpStatus}</b>{' '}
          {fault.detail && <span dir="auto">“{firstLine(fault.detail)}”</span>}
        </>
      )}
    </Line>
  )
}

function Line({
  dot,
  at,
  durationMs,
  children,
}: {
  dot: 'ok' | 'wait' | 'fail' | 'off' | 'idle'
  at: string
  durationMs?: number
  children: ReactNode
}) {
  const date = new Date(at)
  return (
    <li className="attempt">
      <StatusDot state={dot} />
      <time dateTime={at} title={exactTime(date)}>
        {secondTime(date)}
      </time>
      <span className="attempt-says">{children}</span>
      <span className="attempt-ms">{durationMs !== undefined && formatDuration(durationMs)}</span>
    </li>
  )
}

/** Returns as much as fits into a line or three; all of it is in the answer. */
function firstLine(text: string): string {
  const [line = ''] = text.split('\n')
  return line.length > 120 ? `${line.slice(0, 120)}…` : line
}

function formatDuration(ms: number): string {
  return ms < 10_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`
}
