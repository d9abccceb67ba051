import { randomBytes } from 'node:crypto'
import { seal, unseal } from '../../platform/secrets/seal.ts'
import type { ChannelRef, ChannelRow } from './store.ts'

/** A replaced secret still shows for so long that a request is the provider's: it may use it until it hears of the new one. */
const oldForMs = 24 * 3_600_000

/** What is sealed. `before`: the secrets that these replaced, and until when they count. */
type Stored = { now: unknown; before?: { secrets: unknown; until: number } }

/** What is sealed of a channel of our own: the secret by which its owner's server signs whom a message is from. */
export type MemberSecret = { secret: string; madeAt: number }

/** They are kept in memory, so whoever uses `before` asks whether it still counts. */
export type Credentials = { now: unknown; before: Stored['before'] }

/** They are of this row of this account: copied into another one they cannot be unsealed. */
const contextOf = ({ accountId, id }: ChannelRef) => `channel ${accountId} ${id}`

export function sealCredentials(
  secretKey: Buffer,
  ref: ChannelRef,
  { secrets, replaced, now = Date.now() }: { secrets: unknown; replaced?: unknown; now?: number },
): string {
  const before = replaced === undefined ? {} : { before: { secrets: replaced, until: now + oldForMs } }
  return seal(secretKey, JSON.stringify({ now: secrets, ...before } satisfies Stored), contextOf(ref))
}

/** Throws where SECRET_KEY is not the one that sealed them. Undefined: the channel was removed, or has none. */
export function unsealCredentials(secretKey: Buffer, row: ChannelRow, now = Date.now()): Credentials | undefined {
  if (row.credentials === null) return undefined
  const { now: secrets, before }: Stored = JSON.parse(unseal(secretKey, row.credentials, contextOf(row)))
  return { now: secrets, before: before && before.until > now ? before : undefined }
}

/** Sealed without what counts no more; undefined: there is nothing of that. */
export function withoutReplaced(secretKey: Buffer, row: ChannelRow, now = Date.now()): string | undefined {
  const hasReplaced = unsealCredentials(secretKey, row, 0)?.before !== undefined
  const credentials = unsealCredentials(secretKey, row, now)
  if (!hasReplaced || !credentials || credentials.before) return undefined
  return sealCredentials(secretKey, row, { secrets: credentials.now })
}

/** A secret of ours, of characters that every provider takes. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
