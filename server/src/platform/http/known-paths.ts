import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../http-app.ts'
import { Refusal } from '../refusal.ts'

type KnownPath = { pattern: RegExp; methods: Set<string>; isFlat: boolean }

/**
 * Fastify answers 404 to a known path with the wrong method; the specification asks for 405, and for the shape
 * of that path's errors. This remembers every declared path, and names the refusal for a request that met no route.
 * It runs before key and body are looked at.
 */
export function watchRoutes(app: App): (request: FastifyRequest, reply: FastifyReply) => Refusal {
  const paths = new Map<string, KnownPath>()
  app.addHook('onRoute', ({ url, method, config }) => {
    const known = paths.getOrInsertComputed(url, () => ({
      pattern: new RegExp(
        `^${url
          .split(/:[^/]+/)
          .map(RegExp.escape)
          .join('[^/]*')}$`,
      ),
      methods: new Set<string>(),
      isFlat: config?.errorShape === 'flat',
    }))
    for (const name of [method].flat()) known.methods.add(name)
  })

  return (request, reply) => {
    const path = decoded(pathOf(request.url))
    const known = paths.values().find(({ pattern }) => pattern.test(path))
    if (!known) return new Refusal('NOT_FOUND', 'There is nothing at this path.')
    const allowed = [...known.methods].sort().join(', ')
    reply.header('allow', allowed)
    if (known.isFlat) flatRequests.add(request)
    return new Refusal('METHOD_NOT_ALLOWED', `Use ${allowed.replaceAll(', ', ' or ')}.`)
  }
}

/** What the router goes by, also where the address is written out in full, as to a proxy. */
function pathOf(address: string): string {
  return address.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*/s, '')
}

/** The router reads paths decoded, and answers those that cannot be before we are asked. */
function decoded(path: string): string {
  return decodeURI(path)
}

const flatRequests = new WeakSet<FastifyRequest>()

export function wantsFlatErrors(request: FastifyRequest): boolean {
  return request.routeOptions.config.errorShape === 'flat' || flatRequests.has(request)
}
