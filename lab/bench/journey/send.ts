import { randomBytes } from 'node:crypto'
import { dueTimes } from '../../common/due-times.ts'
import { incomingPath, post } from '../../common/public-api.ts'
import { openSender } from '../../common/sender.ts'
import { apiKey, type RunningServer } from '../servers/start.ts'

/** A message, and when it reached each place; all in milliseconds since 1970. */
export type Sent = {
  contact: string
  /** A word that no other message has; only some have one. */
  word: string | undefined
  dueAt: number
  keptAt?: number
  foundAt?: number
  countedAt?: number
  answeredAt?: number | undefined
}

/** By the clock that the database has too. */
export function now(): number {
  return performance.timeOrigin + performance.now()
}

/** One in so many has a word of its own, which the app's search is then asked for. */
const oneInSo = 10

type Plan = { name: string; questions: string[]; perSecond: number; count: number }

/** Sends questions at a steady rate, each of a contact of its own, and adds them to `sent` when they are due. */
export async function sendSteadily({ port, certificate }: RunningServer, plan: Plan, sent: Sent[]): Promise<void> {
  const { send } = openSender({ port, certificate })
  const answers: Promise<void>[] = []
  for await (const { n, dueAt } of dueTimes(plan.perSecond)) {
    if (n >= plan.count) break
    const contact = `${plan.name}-${n}`
    const word = n % oneInSo === 0 ? `z${randomBytes(8).toString('hex')}` : undefined
    const one: Sent = { contact, word, dueAt: performance.timeOrigin + dueAt }
    const body = [plan.questions[n % plan.questions.length], word].filter(Boolean).join(' ')
    const customData = { messageSid: contact, fromId: contact, toId: 'bot', channel: 'bench', body }
    sent.push(one)
    answers.push(
      send(post(apiKey, incomingPath, { customData })).then(({ status, failure }) => {
        if (status !== 200) throw new Error(`a message was answered with ${failure ?? status}`)
        one.keptAt = now()
      }),
    )
  }
  await Promise.all(answers)
}
