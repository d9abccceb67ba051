/**
 * Entry of the accounts: authenticates every API request by its key and applies the rate limit. Accounts, keys and
 * passwords are managed by the commands, through the other files.
 */

import { isApiKey } from '@patchbay/contract/api-key.ts'
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Pool } from 'pg'
import { Refusal } from '../../platform/refusal.ts'
import { type Caller, openKeyLookup } from './key-lookup.ts'
import type { Allowance, RateLimiter } from './rate-limit/rate-limit.ts'

/** They run before a route, and pass requests with a valid key, as many as the rate limit allows. */
export type Guards = Readonly<{
  /** The key may be in the query or in the header. */
  requireApiKey: onRequestHookHandler
  /** The key must be in the header; the query is ignored. */
  requireHeaderKey: onRequestHookHandler
}>

/** The caller is on the request: a WeakMap would cost more garbage collection than the rest of the guard together. */
const callerOfRequest = Symbol('caller')
type RequestWithCaller = FastifyRequest & { [callerOfRequest]?: Caller }

/** Guards use callbacks, not promises: with a cached key and a limit that is counted here they finish synchronously. */
export function openGuards(pool: Pool, take: RateLimiter): Guards {
  const keys = openKeyLookup(pool)

  function guard(findKey: (request: FastifyRequest) => string | undefined, howToSend: string): onRequestHookHandler {
    const unauthorized = () => new Refusal('UNAUTHORIZED', `The API key is missing or not valid; ${howToSend}.`)
    function admit({ request, reply, done }: GuardCall, caller: Caller | undefined): void {
      if (!caller) {
        done(unauthorized())
        return
      }
      ;(request as RequestWithCaller)[callerOfRequest] = caller
      const allowance = take({ key: caller.keyHash, rateLimitPerMinute: caller.rateLimitPerMinute })
      const proceed = (known: Allowance | undefined) => done(known && setRateLimitHeaders(reply, known))
      if (allowance instanceof Promise) allowance.then(proceed, done)
      else proceed(allowance)
    }
    return (request, reply, done) => {
      const key = findKey(request)
      if (key === undefined) return done(unauthorized())
      const asking = { request, reply, done }
      const caller = keys.cached(key)
      if (caller) return admit(asking, caller)
      keys.find(key).then((found) => admit(asking, found), done)
    }
  }

  return {
    requireApiKey: guard(keyAnywhere, 'send it as apiKey or x-api-key'),
    requireHeaderKey: guard(keyInHeader, 'send it in the header x-api-key'),
  }
}

type GuardCall = { request: FastifyRequest; reply: FastifyReply; done: (error?: Error) => void }

/** The authenticated caller. A route without a guard throws here instead of serving everyone. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = (request as RequestWithCaller)[callerOfRequest]
  if (!caller) throw new Error(`route ${request.routeOptions.url} has no guard`)
  return caller
}

/** Whose key the request has, if its route has a guard and the key is valid. */
export function knownCallerOf(request: FastifyRequest): Caller | undefined {
  return (request as RequestWithCaller)[callerOfRequest]
}

/** The key from the query or header; from both only if they agree. A key given twice in one of them is not accepted. */
function keyAnywhere({ query, headers }: FastifyRequest): string | undefined {
  const { apiKey } = query as { apiKey?: unknown } // from the URL, not yet checked by a schema
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
function setRateLimitHeaders(reply: FastifyReply, allowance: Allowance): Refusal | undefined {
  const { allowed, limit, remaining, resetsInSeconds } = allowance
  reply.header('ratelimit-policy', `"key";q=${limit};w=60`)
  reply.header('ratelimit', `"key";r=${remaining};t=${resetsInSeconds}`)
  if (allowed) return undefined
  const message = `Too many requests; try again in ${resetsInSeconds} s.`
  return new Refusal('RATE_LIMITED', message, { retryAfterSeconds: resetsInSeconds })
}
