import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'
import type { IdempotencyKey } from './idempotency.ts'

const bodyHashes = new WeakMap<FastifyRequest, Buffer>()

/** Called by the body parser. Two bodies are the same if their bytes are, not if their values are. */
export function rememberBodyHash(request: FastifyRequest, bytes: Buffer): void {
  if (request.headers['idempotency-key'] !== undefined) bodyHashes.set(request, hash('sha256', bytes, 'buffer'))
}

/** The caller's Idempotency-Key, if there is one. `endpoint` is the same for every spelling of the path. */
export function readIdempotencyKey(request: FastifyRequest, endpoint: string): IdempotencyKey | undefined {
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
