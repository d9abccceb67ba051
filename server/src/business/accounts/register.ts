/**
 * Entry of the public API: registers every route of the table in `contract/api/routes.ts` with its guard, its schemas and
 * its handler. The handlers are in the folder of their subject, and `api-handlers.ts` collects them.
 */

import type { ApiRoute } from '@patchbay/contract/api/route.ts'
import { type ApiRouteName, apiRoutes } from '@patchbay/contract/api/routes.ts'
import type { FairShare } from '../../platform/database/fair-share.ts'
import { retryOnLostConnection } from '../../platform/database/retry.ts'
import { registerRoutes } from '../../platform/http/register-routes.ts'
import type { App } from '../../platform/http-app.ts'
import { callerOf, type Guards } from './guard.ts'
import type { ApiHandlers } from './handlers.ts'

type RegisterCtx = Readonly<{ guards: Guards; share: FairShare }>

export function registerApiRoutes(app: App, { guards, share }: RegisterCtx, handlers: ApiHandlers): void {
  registerRoutes<ApiRouteName, ApiRoute>(app, apiRoutes, {
    guardOf: ({ guard }) => (guard === 'key' ? guards.requireApiKey : guards.requireHeaderKey),
    describe: (_name, { operationId, tag, summary, description, guard }) => ({
      operationId,
      tags: [tag],
      summary,
      description,
      ...(guard === 'headerKey' && { security: [{ header: [] }] }),
    }),
    handlerOf: (name, { statuses, batched }) => {
      // Each gets what the schemas of its own route have checked.
      const handle = handlers[name] as (request: unknown) => Promise<unknown>
      const status = statuses?.[0] ?? 200
      const isRead = name.startsWith('GET ')
      return async (request, reply) => {
        const { params, query, body } = request
        const caller = callerOf(request)
        reply.code(status)
        const work = () => handle({ params, query, body, caller, http: request, reply })
        if (batched) return work()
        return share(caller.accountId, isRead ? () => retryOnLostConnection(work) : work)
      }
    },
  })
}
