import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../http-app.ts'
import { Refusal } from '../refusal.ts'

type KnownPath = { pattern: RegExp; methods: Set<string>; isFlat: boolean }

/**
 * Fastify answers 404 to a known path with the wrong method; the specification requires 405, in the error shape of that
 * path. This records every declared path, and returns a function that makes the refusal for a request without a route.
 * It runs before the key is checked and the body is read.
 */
export function trackRoutes(app: App): (request: FastifyRequest, reply: FastifyReply) => Refusal {
  const paths = new Map<string, KnownPath>()
  app.addHook('onRoute', ({ url, method, config }) => {
    const known = paths.getOrInsertComputed(url, () => ({
      pattern: new RegExp(
        `^${url
          .split(/:[^/]+/)
          .map(RegExp.escape)
          .join('[^/]*')
          .replace(/\[\^\/\]\*$/, '[^/]+')}$`, // a path that ends where its last parameter should be is another one
      ),
      methods: new Set<string>(),
      isFlat: config?.errorShape === 'flat',
    }))
    for (const name of [method].flat()) known.methods.add(name)
  })

  return (request, reply) => {
    const path = decodeURI(pathOf(request.url)) // as the router does, which has refused what cannot be decoded
    const known = paths.values().find(({ pattern }) => pattern.test(path))
    if (!known) return nothingHere()
    const allowed = [...known.methods].sort().join(', ')
    reply.header('allow', allowed)
    if (known.isFlat) flatRequests.add(request)
    return new Refusal('METHOD_NOT_ALLOWED', `Use ${allowed.replaceAll(', ', ' or ')}.`)
  }
}

export function nothingHere(): Refusal {
  return new Refusal('NOT_FOUND', 'There is nothing at this path.')
}

/** The path that the router matches, also when the request line has an absolute URL, as in a request to a proxy. */
function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*/s, '')
}

const flatRequests = new WeakSet<FastifyRequest>()

export function wantsFlatErrors(request: FastifyRequest): boolean {
  return request.routeOptions.config.errorShape === 'flat' || flatRequests.has(request)
}
