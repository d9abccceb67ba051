import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import Check from 'lucide-react/icons/check'
import type { ReactNode } from 'react'
import { classes } from '../ui/classes.ts'
import { Time } from '../ui/time.tsx'
import { currentStep, isDone, type StepName, stepNames } from './steps.ts'
import { useTurnedTrue } from './use-turned-true.ts'
import { firstRunWords as words } from './words.ts'

/** One step; its cable to the next is drawn when its call came while this page was open. */
export function Step({
  steps,
  name,
  at,
  children,
}: {
  steps: FirstRun
  name: StepName
  /** When it was done. */
  at: string | undefined
  children: ReactNode
}) {
  const done = isDone(steps, name)
  const isNew = useTurnedTrue(done)
  const isCurrent = currentStep(steps) === name
  return (
    <li
      className={classes('step', done && 'done', isCurrent && 'now', isNew && 'drawn')}
      aria-current={isCurrent ? 'step' : undefined}
    >
      <span className="step-node" aria-hidden="true">
        {done ? <Check className="i" /> : stepNames.indexOf(name) + 1}
      </span>
      <div className="step-in">
        <h2>
          {done ? (isSimulated(steps, name) ? words.simulatedDone[name] : words[`${name}Done`]) : words[name]}
          {done && at !== undefined && <Time at={at} className="small faint" />}
        </h2>
        {children}
      </div>
    </li>
  )
}

/** Whether the call came from the simulator, or went to it. */
function isSimulated(steps: FirstRun, name: StepName): name is 'message' | 'reply' {
  return (name === 'message' || name === 'reply') && steps[name]?.isSimulated === true
}
