import { setTimeout as sleep } from 'node:timers/promises'
import { dueTimes } from '../../common/due-times.ts'
import { openSender, type Sent } from '../../common/sender.ts'
import { type Counts, count } from './attack.ts'

/** Sends requests, and counts the responses by status. */
export function openCountingSender(port: number, counts: Counts): (wanted: Sent) => Promise<void> {
  const { sendOnce } = openSender({ port })
  return async (wanted) => {
    const { status } = await sendOnce(wanted)
    count(counts, status === 0 ? 'lost' : status)
  }
}

/** Keeps this many requests in flight: each that ends is followed by the next. */
export async function keepInFlight(
  requests: number,
  stopping: AbortSignal,
  ask: (n: number) => Promise<void>,
): Promise<void> {
  async function one(n: number): Promise<void> {
    while (!stopping.aborted) {
      await ask(n)
      await sleep(20)
    }
  }
  await Promise.all(Array.from({ length: requests }, (_, n) => one(n)))
}

/** Starts this many a second, whether or not earlier ones have ended. */
export async function atRate(
  perSecond: number,
  stopping: AbortSignal,
  ask: (n: number) => Promise<void>,
): Promise<void> {
  for await (const { n } of dueTimes(perSecond)) {
    if (stopping.aborted) return
    void ask(n)
  }
}
