import type { Webhook } from '@patchbay/contract/app/receivers.ts'

/** What can be said of an address by what happened last: that it works, only after it has taken something. */
export type Proof = Exclude<Webhook['state'], 'working'> | 'works' | 'untried' | 'refused'

export function proofOf({ state, lastSuccessAt, lastTest, attempts }: Webhook): Proof {
  if (state !== 'working') return state
  // A success is noted at most once a minute, so one right after the test is seen among the attempts alone.
  const isTestLast =
    lastTest !== null && lastTest.at > (lastSuccessAt ?? '') && !attempts.some(({ at, ok }) => ok && at > lastTest.at)
  if (isTestLast) return lastTest.status === 'Sent' ? 'works' : 'refused'
  return lastSuccessAt === null ? 'untried' : 'works'
}

export const dotOfProof = {
  works: 'ok',
  untried: 'off',
  refused: 'wait',
  failing: 'fail',
  gone: 'fail',
  paused: 'wait',
} as const
