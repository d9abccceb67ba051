import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'
import type { OnceKey } from './idempotency.ts'

const bodyHashes = new WeakMap<FastifyRequest, Buffer>()

/** Called by the parser with the bytes as they came: sameness is theirs, not that of the values in them. */
export function rememberBody(request: FastifyRequest, bytes: Buffer): void {
  if (request.headers['idempotency-key'] !== undefined) bodyHashes.set(request, hash('sha256', bytes, 'buffer'))
}

/** The caller's Idempotency-Key, if there is one. `endpoint` is its name, however the path is spelled. */
export function onceKeyOf(request: FastifyRequest, endpoint: string): OnceKey | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  const bodyHash = bodyHashes.get(request)
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key) || !bodyHash) {
    throw new Refusal(
      'INVALID_REQUEST',
      'Idempotency-Key must be given once and have 1 to 255 visible ASCII characters.',
    )
  }
  return { endpoint, key, bodyHash }
}
