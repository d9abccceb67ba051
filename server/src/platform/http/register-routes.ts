import type { Route } from '@patchbay/contract/route.ts'
import type {
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
} from 'fastify'
import type { App } from '../http-app.ts'

/** What one of the two APIs does with each route of its table. */
type Way<Name, R> = {
  guardOf: (route: R) => onRequestHookHandler | onRequestAsyncHookHandler
  /** The fields of the OpenAPI description that its schemas do not give. */
  describe: (name: Name, route: R) => object
  handlerOf: (name: Name, route: R) => (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
}

/** Registers every route of a table with its guard, its schemas, its limits and its handler. */
export function registerRoutes<Name extends string, R extends Route>(
  app: App,
  routes: Readonly<Record<Name, R>>,
  { guardOf, describe, handlerOf }: Way<Name, R>,
): void {
  for (const [name, route] of Object.entries(routes) as [Name, R][]) {
    const { errorShape, mayBeLarge, keepsRawBody, bodyBytes, alias } = route
    const [method, url] = name.split(' ') as [HTTPMethods, string]
    const served = {
      method: route.raw && method === 'GET' ? ['GET' as const, 'HEAD' as const] : method,
      config: {
        ...(errorShape && { errorShape }),
        ...(mayBeLarge && { mayBeLarge }),
        ...(keepsRawBody && { keepsRawBody }),
      },
      onRequest: guardOf(route),
      ...(bodyBytes !== undefined && { bodyLimit: bodyBytes }),
      handler: handlerOf(name, route),
    }
    app.route({ ...served, url, schema: { ...schemasOf(route), ...describe(name, route) } })
    if (alias !== undefined) app.route({ ...served, url: alias, schema: { ...schemasOf(route), hide: true } })
  }
}

function schemasOf({ params, query, body, reply, statuses = [200], raw }: Route) {
  return {
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    ...(!raw && { response: Object.fromEntries(statuses.map((status) => [status, reply])) }),
  }
}
