import { randomBytes } from 'node:crypto'
import { seal, unseal } from '../../platform/secrets/seal.ts'
import type { ChannelRef, ChannelRow } from './store.ts'

/** A replaced secret still shows for so long that a request is the provider's: it may use it until it hears of the new one. */
const oldForMs = 24 * 3_600_000

/** What is sealed. `before`: the secrets that these replaced, and until when they count. */
type Stored = { now: unknown; before?: { secrets: unknown; until: number } }

export type Credentials = { now: unknown; before: unknown }

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
  const stored: Stored = JSON.parse(unseal(secretKey, row.credentials, contextOf(row)))
  const isOver = stored.before === undefined || stored.before.until <= now
  return { now: stored.now, before: isOver ? undefined : stored.before?.secrets }
}

/** A secret of ours, of characters that every provider takes. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
