import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import type { ReactNode } from 'react'
import { StepLine } from '../ui/step.tsx'
import { currentStep, isDone, type StepName, stepNames } from './steps.ts'
import { firstRunWords as words } from './words.ts'

/** A step of those who connect their own platform. */
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
  return (
    <StepLine
      n={stepNames.indexOf(name) + 1}
      title={done ? (isSimulated(steps, name) ? words.simulatedDone[name] : words[`${name}Done`]) : words[name]}
      at={at}
      isDone={done}
      isCurrent={currentStep(steps) === name}
    >
      {children}
    </StepLine>
  )
}

/** Whether the call came from the simulator, or went to it. */
function isSimulated(steps: FirstRun, name: StepName): name is 'message' | 'reply' {
  return (name === 'message' || name === 'reply') && steps[name]?.isSimulated === true
}
