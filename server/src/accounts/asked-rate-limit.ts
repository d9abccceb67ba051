import { type Allowance, type OwnRateLimiter, openRateLimiter, type RateLimiter } from './rate-limit.ts'

/** What a serving process asks the supervisor, for all requests of one turn of the event loop: key and limit of each. */
export type Asked = [keyHash: string, limit: number][]
export type Answered = (Allowance | null)[]

type Waiting = { keyHash: string; limit: number; resolve: (allowance: Allowance | undefined) => void }

/**
 * The rate limit of one of several processes: the supervisor counts for all of them, so that exactly the limit is allowed.
 * While it does not answer, a process counts by itself and allows its part of the limit: together they allow the limit
 * once more at most, and nobody's message is refused because a process hangs.
 */
export function askRateLimits(
  perMinute: number,
  processes: number,
  ask: (asked: Asked) => Promise<Answered>,
): RateLimiter {
  const takeAlone = openRateLimiter(perMinute)
  let batch: Waiting[] = []

  async function flush(): Promise<void> {
    const asked = batch
    batch = []
    const answers = await ask(asked.map(({ keyHash, limit }) => [keyHash, limit])).catch(() => undefined)
    for (const [at, { keyHash, limit, resolve }] of asked.entries()) {
      const part = Math.max(1, Math.floor(limit / processes))
      resolve((answers ? answers[at] : takeAlone({ keyHash, rateLimitPerMinute: part })) ?? undefined)
    }
  }

  return ({ keyHash, rateLimitPerMinute }) => {
    const limit = rateLimitPerMinute ?? perMinute
    if (limit === 0) return undefined
    const { promise, resolve } = Promise.withResolvers<Allowance | undefined>()
    batch.push({ keyHash, limit, resolve })
    if (batch.length === 1) setImmediate(() => void flush())
    return promise
  }
}

/** The supervisor's side. */
export async function answerRateLimits(take: RateLimiter | OwnRateLimiter, asked: Asked): Promise<Answered> {
  return Promise.all(
    asked.map(async ([keyHash, limit]) => (await take({ keyHash, rateLimitPerMinute: limit })) ?? null),
  )
}
