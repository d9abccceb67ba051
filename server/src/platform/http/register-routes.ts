import type { Route } from '@patchbay/contract/route.ts'
import type {
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
} from 'fastify'
import type { App } from '../http-app.ts'
import { acceptBytesOnly } from '../request-body/accept-bytes.ts'
import { nothingHere } from './known-paths.ts'

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
      onRequest: endsInParameter.test(url) ? [refuseEmptyParameter, guardOf(route)] : guardOf(route),
      ...(bodyBytes !== undefined && { bodyLimit: bodyBytes }),
      handler: handlerOf(name, route),
    }
    const described = { ...served, url, schema: { ...schemasOf(route), ...describe(name, route) } }
    if (route.takesBytes) void app.register(async (only) => acceptBytesOnly(only as App).route(described))
    else app.route(described)
    if (alias !== undefined) app.route({ ...served, url: alias, schema: { ...schemasOf(route), hide: true } })
  }
}

const endsInParameter = /:[^/]+$/

/** The router takes `/v1/contacts/` for a contact with an empty id; it is a path where there is nothing. */
function refuseEmptyParameter({ params }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  done(Object.values(params as object).at(-1) === '' ? nothingHere() : undefined)
}

function schemasOf({ params, query, body, reply, statuses = [200], raw }: Route) {
  return {
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    ...(!raw && { response: Object.fromEntries(statuses.map((status) => [status, reply])) }),
  }
}
