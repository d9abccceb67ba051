import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { LeasedEvent } from '../../../../outbox/enqueue-events.ts'
import type { Receiver } from '../../../../outbox/receivers.ts'
import { BoundedMap } from '../../../../platform/collections.ts'
import type { Log } from '../../../../platform/log.ts'
import { unseal } from '../../../../platform/secrets/seal.ts'

/** The secrets of this many receivers are cached unsealed: unsealing one takes longer than signing with it. */
const mostCached = 10_000

export type ReadSigningKeys = (event: LeasedEvent, secret: string) => KeyObject[] | undefined

/**
 * Returns a reader of keys. It returns undefined when a secret cannot be read, because SECRET_KEY is not the one that
 * sealed it; only the operator can fix that.
 */
export function openSigningKeys({ secretKey, log }: { secretKey: Buffer; log: Log }): ReadSigningKeys {
  const cached = new BoundedMap<string, KeyObject[]>(mostCached)
  return ({ accountId, receiverId, oldSecret }, secret) => {
    const read = () => secretsOf(secretKey, { accountId, receiverId, secret, oldSecret }).map(signingKey)
    try {
      return cached.getOrInsertComputed(`${receiverId} ${accountId} ${secret} ${oldSecret}`, read)
    } catch (err) {
      log.error({ err, accountId }, 'a signing secret cannot be read')
      return undefined
    }
  }
}

/** The secrets that sign for this receiver now, the newest first. */
export function secretsOf(
  secretKey: Buffer,
  receiver: Receiver & { secret: string; oldSecret: string | null },
): string[] {
  const { secret, oldSecret } = receiver
  const sealed = oldSecret === null ? [secret] : [secret, oldSecret]
  return sealed.map((text) => unseal(secretKey, text, sealContextOf(receiver)))
}

/** Names the row that a secret is sealed for: copied into another row, it cannot be unsealed. Stored ones were sealed with this text. */
export function sealContextOf({ accountId, receiverId }: Receiver): string {
  return `endpoints ${accountId} ${receiverId}`
}

const prefix = 'whsec_'

/** A new secret as its owner sees it. */
export function newSecret(): string {
  return `${prefix}${randomBytes(32).toString('base64')}`
}

type SignedContent = { id: string; timestamp: number; body: string }

/** The HMAC key of a secret. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(secret.slice(prefix.length), 'base64')
}

/** The `webhook-signature` header of Standard Webhooks: one entry for each secret in use, the newest first. */
export function sign(keys: KeyObject[], { id, timestamp, body }: SignedContent): string {
  const text = `${id}.${timestamp}.${body}`
  return keys.map((key) => `v1,${createHmac('sha256', key).update(text).digest('base64')}`).join(' ')
}
