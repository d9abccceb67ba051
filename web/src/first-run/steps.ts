import type { FirstRun } from '@patchbay/contract/app/first-run.ts'

export const stepNames = ['key', 'message', 'webhook', 'teach', 'reply'] as const
export type StepName = (typeof stepNames)[number]

/** A webhook counts when its test was taken, or when it took a real reply. */
export function isDone(steps: FirstRun, step: StepName): boolean {
  switch (step) {
    case 'key':
      return steps.key !== null
    case 'message':
      return steps.message !== null
    case 'webhook':
      return steps.webhook !== null && (steps.webhook.test?.status === 'Sent' || steps.reply?.isSimulated === false)
    case 'teach':
      return steps.taught !== null
    case 'reply':
      return steps.reply !== null
  }
}

export function countDone(steps: FirstRun): number {
  return stepNames.filter((step) => isDone(steps, step)).length
}

export function areDone(steps: FirstRun): boolean {
  return countDone(steps) === stepNames.length
}

/** The first that is open. */
export function currentStep(steps: FirstRun): StepName | undefined {
  return stepNames.find((step) => !isDone(steps, step))
}
