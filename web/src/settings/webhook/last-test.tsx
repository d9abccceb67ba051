import type { TestResult } from '@patchbay/contract/app/receivers.ts'
import Check from 'lucide-react/icons/check'
import Circle from 'lucide-react/icons/circle'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import type { ReactNode } from 'react'
import { sayCause } from '../../ui/delivery-error-words.ts'
import { Time } from '../../ui/time.tsx'
import { webhookWords as words } from './words.ts'

/** What came of both posts of the last test. */
export function LastTest({ test }: { test: TestResult | null }) {
  return (
    <div className="stack last-test">
      <div className="row between">
        <h2 className="label">{words.lastTest}</h2>
        {test && <Time at={test.at} className="small faint" />}
      </div>
      <ul className="card test-lines" aria-live="polite">
        {test ? (
          <Lines test={test} />
        ) : (
          <Line tone="none">
            {words.noTest} <span className="muted">{words.noTestHint}</span>
          </Line>
        )}
      </ul>
    </div>
  )
}

function Lines({ test: { status, fault, durationMs, checksSignature } }: { test: TestResult }) {
  if (status === 'Failed') {
    return (
      <Line tone="fail">
        <b className="strong">{words.testFailed}</b> {fault && sayCause(fault)}{' '}
        <span className="muted">{words.testFailedHint}</span>
      </Line>
    )
  }
  return (
    <>
      <Line tone="ok">
        {words.answered} <span className="mono">{durationMs} ms</span>
      </Line>
      {checksSignature === true && <Line tone="ok">{words.checks}</Line>}
      {checksSignature === false && (
        <Line tone="wait">
          <b className="strong">{words.checksNot}</b> <span className="muted">{words.checksNotHint}</span>
        </Line>
      )}
      {checksSignature === null && <Line tone="none">{words.checksUnknown}</Line>}
    </>
  )
}

function Line({ tone, children }: { tone: 'ok' | 'wait' | 'fail' | 'none'; children: ReactNode }) {
  const Icon = tone === 'ok' ? Check : tone === 'none' ? Circle : TriangleAlert
  return (
    <li>
      <Icon className={tone === 'wait' || tone === 'fail' ? `i ${tone}` : 'i'} />
      <span>{children}</span>
    </li>
  )
}
