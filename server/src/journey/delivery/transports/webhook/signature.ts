import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

/** A new secret as its owner sees it. */
export function newSecret(): string {
  return `${prefix}${randomBytes(32).toString('base64')}`
}

export type SignedContent = { id: string; timestamp: number; body: string }

/** The HMAC key of a secret. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(secret.slice(prefix.length), 'base64')
}

/** The `webhook-signature` header of Standard Webhooks: one entry for each secret in use, the newest first. */
export function sign(keys: KeyObject[], { id, timestamp, body }: SignedContent): string {
  const text = `${id}.${timestamp}.${body}`
  return keys.map((key) => `v1,${createHmac('sha256', key).update(text).digest('base64')}`).join(' ')
}
