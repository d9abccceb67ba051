import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The bytes of the body are kept as long as the request. */
    keepsRawBody?: true
  }
}

const rawBodies = new WeakMap<FastifyRequest, Buffer>()

/** Called by the body parser. */
export function keepRawBody(request: FastifyRequest, bytes: Buffer): void {
  if (request.routeOptions.config.keepsRawBody) rawBodies.set(request, bytes)
}

/**
 * A number of the body with all the digits that its sender wrote: JavaScript parses 1.00000000000000000000001 as 1.
 * Undefined when the body has no such number.
 */
export function writtenNumber(request: FastifyRequest, name: string): string | undefined {
  const bytes = rawBodies.get(request)
  if (!bytes) return undefined
  const written = new Map<unknown, string>() // by the object that the number is in
  const body = parse(bytes.toString(), function (key, value, { source }) {
    if (key === name && typeof value === 'number' && source !== undefined) written.set(this, source)
    return value
  })
  return written.get(body)
}

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown

/** The runtime passes the source text of a value to the reviver; its type declarations do not have that yet. */
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown
