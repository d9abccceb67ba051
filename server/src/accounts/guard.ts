import { isApiKey } from '@patchbay/contract/api-key.ts'
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Pool } from 'pg'
import type { Db } from '../platform/database/db.ts'
import type { FairShare } from '../platform/database/fair-share.ts'
import { Refusal } from '../platform/refusal.ts'
import { type Caller, openKeyLookup } from './key-lookup.ts'
import { type Allowance, openRateLimiter } from './rate-limit.ts'

/** Stands before a route: lets the holder of a valid key through, as often as the limit allows. */
export type Guard = onRequestHookHandler

export type Guards = Readonly<{
  /** The key may be in the query or in the header. */
  requireApiKey: Guard
  /** The key must be in the header; the query is not looked at. */
  requireHeaderKey: Guard
}>

/** What the routes of the public API are given. `share` stands before the connections of `db`, by account. */
export type ApiCtx = Guards & Readonly<{ db: Db; share: FairShare; secretKey: Buffer }>

/** Kept on the request: a weak map would cost the garbage collector more than all the rest of the guard. */
const callerOfRequest = Symbol('caller')
type Called = FastifyRequest & { [callerOfRequest]?: Caller }

/** They call back instead of returning a promise: the common case, a key asked for a moment ago, is over at once. */
export function openGuards(pool: Pool, rateLimitPerMinute: number): Guards {
  const keys = openKeyLookup(pool)
  const take = openRateLimiter(rateLimitPerMinute)

  function guard(present: (request: FastifyRequest) => string | undefined, howToSend: string): Guard {
    const unauthorized = () => new Refusal('UNAUTHORIZED', `The API key is missing or not valid; ${howToSend}.`)
    function admit(request: FastifyRequest, reply: FastifyReply, caller: Caller | undefined): Refusal | undefined {
      if (!caller) return unauthorized()
      ;(request as Called)[callerOfRequest] = caller
      const allowance = take(caller)
      return allowance && tellAllowance(reply, allowance)
    }
    return (request, reply, done) => {
      const key = present(request)
      if (key === undefined) return done(unauthorized())
      const caller = keys.remembered(key)
      if (caller) return done(admit(request, reply, caller))
      keys.find(key).then((found) => done(admit(request, reply, found)), done)
    }
  }

  return {
    requireApiKey: guard(keyAnywhere, 'send it as apiKey or x-api-key'),
    requireHeaderKey: guard(keyInHeader, 'send it in the header x-api-key'),
  }
}

/** Who is calling. A route that forgot its guard fails here, loudly, instead of serving everyone. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = (request as Called)[callerOfRequest]
  if (!caller) throw new Error(`route ${request.routeOptions.url} has no guard`)
  return caller
}

/** In the query or in the header; in both only if they agree. Given twice in one place, it is no key. */
function keyAnywhere({ query, headers }: FastifyRequest): string | undefined {
  const { apiKey } = query as { apiKey?: unknown } // parsed from the address, not yet by a schema
  const header = headers['x-api-key']
  if (header !== undefined && apiKey !== undefined && header !== apiKey) return undefined
  return readKey(header ?? apiKey)
}

function keyInHeader({ headers }: FastifyRequest): string | undefined {
  return readKey(headers['x-api-key'])
}

function readKey(key: unknown): string | undefined {
  return typeof key === 'string' && isApiKey(key) ? key : undefined
}

/** The fields of the IETF draft on rate limit headers. */
function tellAllowance(reply: FastifyReply, allowance: Allowance): Refusal | undefined {
  const { allowed, limit, remaining, resetsInSeconds } = allowance
  reply.header('ratelimit-policy', `"key";q=${limit};w=60`)
  reply.header('ratelimit', `"key";r=${remaining};t=${resetsInSeconds}`)
  if (allowed) return undefined
  const message = `Too many requests; try again in ${resetsInSeconds} s.`
  return new Refusal('RATE_LIMITED', message, { retryAfterSeconds: resetsInSeconds })
}
