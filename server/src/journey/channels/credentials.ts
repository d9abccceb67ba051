import { randomBytes } from 'node:crypto'
import { seal, unseal } from '../../platform/secrets/seal.ts'
import type { ChannelRef, ChannelRow } from './store.ts'

/** A replaced secret still shows for so long that a request is the provider's: it may use it until it hears of the new one. */
const oldForMs = 24 * 3_600_000

/** What is sealed. `before`: the secrets that these replaced, and until when they count. */
type Stored = { now: unknown; before?: { secrets: unknown; until: number } }

/**
 * What is sealed of a channel of our own: the secret by which its owner's server signs whom a message is from, and those of the last
 * day. They are more than one where somebody has made two: of the first one the answer may never have arrived.
 */
export type MemberSecret = { secret: string; madeAt: number; older: { secret: string; until: number }[] }

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

/** The one that was made last, and those from before that still count. */
export function memberSecretsOf({ now: secrets }: Credentials, now: number): string[] {
  const { secret, older } = secrets as MemberSecret // as it was sealed
  return [secret, ...older.filter(({ until }) => until > now).map((one) => one.secret)]
}

/** A new one, and what it replaces. */
export function replaceMemberSecret(replaced: Credentials | undefined, now = Date.now()): MemberSecret {
  const before = replaced?.now as MemberSecret | undefined // as it was sealed
  const known = before ? [...before.older, { secret: before.secret, until: now + oldForMs }] : []
  const older = known.filter(({ until }) => until > now).slice(-mostOlder)
  return { secret: newSecret(), madeAt: now, older }
}

const mostOlder = 8

/** Sealed without what counts no more; undefined: there is nothing of that. */
export function withoutReplaced(secretKey: Buffer, row: ChannelRow, now = Date.now()): string | undefined {
  const hasReplaced = unsealCredentials(secretKey, row, 0)?.before !== undefined
  const credentials = unsealCredentials(secretKey, row, now)
  if (!hasReplaced || !credentials || credentials.before) return undefined
  // What replaced the last one replaced those before it, too.
  const secrets = isMemberSecret(credentials.now) ? { ...credentials.now, older: [] } : credentials.now
  return sealCredentials(secretKey, row, { secrets })
}

function isMemberSecret(secrets: unknown): secrets is MemberSecret {
  return typeof secrets === 'object' && secrets !== null && 'older' in secrets
}

/** A secret of ours, of characters that every provider takes. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
