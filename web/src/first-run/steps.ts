import type { FirstRun } from '@patchbay/contract/app/first-run.ts'

/** What is connected first: a platform of one's own, by key and webhook, or a built-in channel. */
export const lanes = ['own', 'built-in'] as const
export type Lane = (typeof lanes)[number]

/** The lane that somebody is on who has not chosen one. */
export function usualLane(steps: FirstRun): Lane {
  return steps.builtIn.channelId !== null && steps.message === null && steps.webhook === null ? 'built-in' : 'own'
}

export const builtInSteps = ['channel', 'message', 'teach', 'reply'] as const

export function isBuiltInDone({ builtIn, taught }: FirstRun, step: (typeof builtInSteps)[number]): boolean {
  switch (step) {
    case 'channel':
      return builtIn.channelId !== null
    case 'message':
      return builtIn.message !== null
    case 'teach':
      return taught !== null
    case 'reply':
      return builtIn.reply !== null
  }
}

export const stepNames = ['key', 'message', 'webhook', 'teach', 'reply'] as const
export type StepName = (typeof stepNames)[number]

/** What the last thing that happened says of the address. */
export function receiverState({ webhook }: FirstRun): 'none' | 'untested' | 'refused' | 'failing' | 'tested' | 'takes' {
  if (!webhook) return 'none'
  const { test, tookReplyAt, failedAt } = webhook
  const isTestLast = test !== null && test.at > (tookReplyAt ?? '') && test.at > (failedAt ?? '')
  if (isTestLast && test.status !== 'Sent') return 'refused'
  // What failed before the test was taken has not arrived yet.
  if (failedAt !== null) return isTestLast ? 'tested' : 'failing'
  if (tookReplyAt !== null) return 'takes'
  return test ? 'tested' : 'untested'
}

/** Whether replies to people reach the server: one did, and none has failed since. */
export function doRepliesArrive(steps: FirstRun): boolean {
  return receiverState(steps) === 'takes' && steps.reply?.isSimulated === false
}

/** Why no more is said than that all steps are done. */
export function whyNotPluggedIn(steps: FirstRun): 'failing' | 'simulated' | 'mended' | 'unproven' {
  const state = receiverState(steps)
  if (state === 'failing' || state === 'refused') return 'failing'
  if (steps.message?.isSimulated || steps.reply?.isSimulated) return 'simulated'
  return steps.webhook?.failedAt ? 'mended' : 'unproven'
}

/** Whether a step is done. A webhook counts when its test was taken, or when it took a real reply. */
export function isDone(steps: FirstRun, step: StepName): boolean {
  switch (step) {
    case 'key':
      return steps.key !== null
    case 'message':
      return steps.message !== null
    case 'webhook':
      return steps.webhook !== null && (steps.webhook.test?.status === 'Sent' || steps.webhook.tookReplyAt !== null)
    case 'teach':
      return steps.taught !== null
    case 'reply':
      return steps.reply !== null
  }
}

export function countDone(steps: FirstRun, lane: Lane): { done: number; of: number } {
  const made =
    lane === 'own'
      ? stepNames.map((step) => isDone(steps, step))
      : builtInSteps.map((step) => isBuiltInDone(steps, step))
  return { done: made.filter(Boolean).length, of: made.length }
}

export function areDone(steps: FirstRun, lane: Lane): boolean {
  const { done, of } = countDone(steps, lane)
  return done === of
}

/** The first step that is open. */
export function currentStep(steps: FirstRun): StepName | undefined {
  return stepNames.find((step) => !isDone(steps, step))
}
