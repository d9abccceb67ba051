import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

/** A new secret as its owner sees it. */
export function newSecret(): string {
  return `${prefix}${randomBytes(32).toString('base64')}`
}

export type Signed = { id: string; timestamp: number; body: string }

/** The `webhook-signature` header of Standard Webhooks: one entry for each secret in use, the newest first. */
export function sign(secrets: string[], { id, timestamp, body }: Signed): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')
}
