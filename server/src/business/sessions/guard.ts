import type { AppGuard, AppRoute } from '@patchbay/contract/app/route.ts'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import type { BatchedLookup } from '../../platform/database/batched-lookup.ts'
import type { Log } from '../../platform/log.ts'
import { Refusal } from '../../platform/refusal.ts'
import { type Allowance, openRateLimiter } from '../accounts/rate-limit/rate-limit.ts'
import { hashToken, readToken } from './session-cookie.ts'
import { openSessionLookup } from './session-lookup.ts'
import type { FoundSession, Session } from './session-store.ts'

/** The requests of one session, in all its tabs; and of the routes that make us call somebody, for an account. */
const requestsPerMinute = 1_200
const callsOutPerMinute = 20

export type CheckSession = (request: FastifyRequest, route: AppRoute) => Promise<Session | undefined>

/** Finds the session of a request and checks that it may use the route; undefined where no session is needed. */
export function openSessionGuard(pool: Pool, log: Log): CheckSession {
  const takeRequest = openRateLimiter(requestsPerMinute)
  const takeCall = openRateLimiter(callsOutPerMinute)
  const findSession = openSessionLookup(pool, log)

  return async (request, { guard, notVisiting, callsOut }) => {
    refuseCrossSite(request)
    if (guard === 'anyone') return undefined
    const session = await sessionOf(findSession, request)
    refuseOtherUser(session, request.headers['x-app-user'])
    refuseIfOver(takeRequest({ key: session.tokenHash, rateLimitPerMinute: null }))
    if (notVisiting && session.isVisiting) {
      throw new Refusal('FORBIDDEN', 'An agency that visits may not do this; only the account itself may.')
    }
    refuseOthers(session, guard)
    if (callsOut) refuseIfOver(takeCall({ key: session.accountId, rateLimitPerMinute: null }))
    return session
  }
}

async function sessionOf(find: BatchedLookup<FoundSession>, request: FastifyRequest): Promise<Session> {
  const token = readToken(request)
  const found = token === undefined ? undefined : await find(hashToken(token).toString('hex'))
  if (!found) throw signedOut()
  const { isRemoved, ...session } = found
  if (isRemoved) throw new Refusal('UNAUTHORIZED', 'You were removed from this account.')
  return session
}

export const signedOut = () => new Refusal('UNAUTHORIZED', 'You are signed out; sign in again.')

function refuseOthers({ isOwner, mayManage, isVisiting, kind }: Session, guard: AppGuard): void {
  if (guard === 'member' || (guard === 'manager' && mayManage)) return
  if (guard === 'manager') {
    throw new Refusal('FORBIDDEN', 'Only owners, and members whom an owner lets manage, may do this; ask an owner.')
  }
  if (!isOwner) throw new Refusal('FORBIDDEN', 'Only an owner of the account may do this.')
  if (guard === 'agency' && (kind !== 'agency' || isVisiting)) {
    throw new Refusal('FORBIDDEN', 'Only an agency may do this.')
  }
  if (guard === 'subaccount' && kind !== 'subaccount') {
    throw new Refusal('FORBIDDEN', 'Only a sub-account of an agency may do this.')
  }
}

/**
 * The app says whose data its page shows. All tabs of a browser share the cookie, so after another user has signed in in
 * one of them, or has begun or ended a visit, the others must not act in that user's name.
 */
export function refuseOtherUser({ userId }: Session, shown: string | string[] | undefined): void {
  if (shown === undefined || shown === userId) return
  throw new Refusal('UNAUTHORIZED', 'Somebody else has signed in in this browser; sign in again.')
}

function refuseIfOver(allowance: Allowance | undefined): void {
  if (!allowance || allowance.allowed) return
  const seconds = allowance.resetsInSeconds
  throw new Refusal('RATE_LIMITED', `Too many requests; try again in ${seconds} s.`, { retryAfterSeconds: seconds })
}

const sessionOfRequest = Symbol('session')
type RequestWithSession = FastifyRequest & { [sessionOfRequest]?: Session }

export function keepSession(request: FastifyRequest, session: Session): void {
  ;(request as RequestWithSession)[sessionOfRequest] = session
}

/** The account that the session of a request shows, if its route has a guard and the session is valid. */
export function knownAccountOf(request: FastifyRequest): string | undefined {
  return (request as RequestWithSession)[sessionOfRequest]?.accountId
}

/** The session that the guard has found. A route without a guard throws here instead of serving everyone. */
export function sessionOfGuarded(request: FastifyRequest): Session {
  const session = (request as RequestWithSession)[sessionOfRequest]
  if (!session) throw new Error(`route ${request.routeOptions.url} has no guard`)
  return session
}

/**
 * Refuses a change that another site's page asks for (CSRF). Browsers of the last years say where a request comes from
 * in `Sec-Fetch-Site`, others send `Origin`; a client that sends neither is no browser and has no cookie by itself.
 */
function refuseCrossSite({ method, headers }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return
  const site = headers['sec-fetch-site']
  if (site !== undefined ? site === 'same-origin' : isOwnOrigin(headers.origin, headers.host)) return
  throw new Refusal('FORBIDDEN', 'This request came from another site; nothing was changed.')
}

function isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined) return true
  return URL.canParse(origin) && new URL(origin).host === host
}
