import { randomUUID } from 'node:crypto'
import { dueTimes } from '../../common/due-times.ts'
import { incomingPath, post } from '../../common/public-api.ts'
import { openSender } from '../../common/sender.ts'
import type { Target } from '../load/connection.ts'

/** What other accounts have of the server meanwhile: how long each of their messages took, in milliseconds, and how many were not accepted. */
export type Beside = { times: number[]; refused: number }

const perSecond = 20

/** Sends messages of another account at a steady rate until the work is done. */
export async function besideMessages<Done>(
  target: Target & { apiKey: string },
  work: () => Promise<Done>,
): Promise<{ done: Done; beside: Beside }> {
  const { send } = openSender(target)
  const beside: Beside = { times: [], refused: 0 }
  const sending: Promise<void>[] = []
  let isOver = false
  const running = (async () => {
    for await (const { n, dueAt } of dueTimes(perSecond)) {
      if (isOver) return
      const customData = { messageSid: randomUUID(), fromId: `person ${n % 50}`, toId: 'shop', body: 'Hello' }
      const asking = send(post(target.apiKey, incomingPath, { customData })).then(({ status }) => {
        if (status === 200) beside.times.push(performance.now() - dueAt)
        else beside.refused += 1
      })
      sending.push(asking)
    }
  })()
  try {
    return { done: await work(), beside }
  } finally {
    isOver = true
    await running
    await Promise.all(sending)
  }
}
