import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The bytes of the body are kept beside its values, for as long as the request lives. */
    keepsRawBody?: true
  }
}

const rawBodies = new WeakMap<FastifyRequest, Buffer>()

/** Called by the parser with the bytes as they came. */
export function keepRawBody(request: FastifyRequest, bytes: Buffer): void {
  if (request.routeOptions.config.keepsRawBody) rawBodies.set(request, bytes)
}

/**
 * A number of the body with all the digits that its sender wrote: JavaScript rounds 1.00000000000000000000001 to 1 while
 * it reads. Undefined when the body has no such number.
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

/** The runtime tells how a value was written; its types do not know that yet. */
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown
