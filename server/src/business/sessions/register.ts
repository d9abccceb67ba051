/**
 * Entry of the app's own API: registers every route of the table in `contract/app/routes.ts` with its guard, its schemas
 * and its handler. Sessions, sign-in and the account are in this folder; the other handlers are in the folder of their
 * subject, and `app-handlers.ts` collects them.
 */

import type { AppRoute } from '@patchbay/contract/app/route.ts'
import { type AppRouteName, appRoutes } from '@patchbay/contract/app/routes.ts'
import type { FastifyRequest } from 'fastify'
import type { FairShare } from '../../platform/database/fair-share.ts'
import { registerRoutes } from '../../platform/http/register-routes.ts'
import type { App } from '../../platform/http-app.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import type { Actor } from '../audit/store.ts'
import { hintAtChanges } from './changes.ts'
import { type CheckSession, keepSession, sessionOfGuarded } from './guard.ts'
import type { Handlers } from './handlers.ts'
import type { Session } from './session-store.ts'

type RegisterCtx = Readonly<{
  checkSession: CheckSession
  share: FairShare
  hint: Hint
  addressOf: (request: FastifyRequest) => string
}>

export function registerAppRoutes(
  app: App,
  { checkSession, share, hint, addressOf }: RegisterCtx,
  handlers: Handlers,
): void {
  registerRoutes<AppRouteName, AppRoute>(app, appRoutes, {
    guardOf: (route) => async (request: FastifyRequest) => {
      const session = await checkSession(request, route)
      if (session) keepSession(request, session)
    },
    describe: (name, { summary }) => ({ operationId: name, summary }),
    handlerOf: (name, route) => {
      // Each gets what the schemas of its own route have checked.
      const handle = handlers[name] as (request: unknown) => Promise<unknown>
      return async (request, reply) => {
        const { params, query, body } = request
        const given = { params, query, body, http: request, reply }
        const address = addressOf(request)
        if (route.guard === 'anyone') return handle({ ...given, by: { actor: actorOf(undefined), address } })
        const session = sessionOfGuarded(request)
        const work = () => handle({ ...given, session, by: { actor: actorOf(session), address } })
        if (route.raw) return work()
        // One that waits for somebody, whom it calls or who reads its answer, must not hold a share of the connections.
        const answer = await (route.callsOut || route.waits ? work() : share(session.accountId, work))
        if (!route.changesNothing) hintAtChanges(hint, name, { accountId: session.accountId, params })
        return answer
      }
    },
  })
}

/** To an account, whoever visits it is its agency. */
function actorOf(session: Session | undefined): Actor {
  if (!session) return { kind: 'nobody' }
  const { userId, isVisiting, home } = session
  return isVisiting ? { kind: 'agency', agencyId: home.accountId } : { kind: 'user', userId }
}
