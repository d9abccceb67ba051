import { hash, randomBytes } from 'node:crypto'

/** A fresh key with 256 random bits. It is shown once; only its hash is kept. */
export function newApiKey(): string {
  return `pb_${randomBytes(32).toString('base64url')}`
}

/** A plain hash suffices where a password needs a slow one: 256 random bits cannot be guessed. */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}
