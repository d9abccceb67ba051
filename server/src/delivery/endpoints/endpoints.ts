import type { EventKind } from '../../outbox/owe-events.ts'
import type { Receiver } from '../../outbox/receiver.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import type { Outbound } from '../../platform/outbound/client.ts'
import { OutboundError } from '../../platform/outbound/outbound-error.ts'
import { Refusal } from '../../platform/refusal.ts'
import { seal, unseal } from '../../platform/secrets/seal.ts'
import { newSecret } from '../attempt/signature.ts'
import { sealContextOf, secretsOf } from '../attempt/signing-keys.ts'
import { findEndpoints, removeEndpoint, replaceSecret, saveEndpoint, setPaused } from './endpoint-store.ts'

export type EndpointCtx = Readonly<{ db: Db; secretKey: Buffer; outbound: Outbound }>

/** An address as shown to the account holder, with the secrets that sign for it, the newest first. */
export type ShownEndpoint = {
  kind: EventKind
  url: string
  secrets: string[]
  state: 'working' | 'failing' | 'paused' | 'gone'
  failuresInRow: number
  lastSuccessAt: Date | null
}

/** Saves where an account's events go. The first address makes the secret; a later one keeps it. */
export async function setEndpoint(
  { db, secretKey, outbound }: EndpointCtx,
  receiver: Receiver,
  text: string,
): Promise<{ url: string; secret: string }> {
  const url = await requireAllowedUrl(outbound, text)
  const fresh = seal(secretKey, newSecret(), sealContextOf(receiver))
  const sealed = await db.transaction().execute((tx) => saveEndpoint(tx, receiver, { url, secret: fresh }))
  return { url, secret: unseal(secretKey, sealed, sealContextOf(receiver)) }
}

async function requireAllowedUrl(outbound: Outbound, text: string): Promise<string> {
  try {
    return (await outbound.check(text)).href
  } catch (error) {
    if (error instanceof OutboundError) throw new Refusal('INVALID_REQUEST', error.message, { cause: error })
    throw error
  }
}

export async function showEndpoints(
  { db, secretKey }: Pick<EndpointCtx, 'db' | 'secretKey'>,
  accountId: AccountId,
): Promise<ShownEndpoint[]> {
  const endpoints = await findEndpoints(db, accountId)
  return endpoints.map((endpoint) => {
    const { kind, url, failuresInRow, lastSuccessAt, pausedAt, goneAt } = endpoint
    const health = goneAt ? 'gone' : failuresInRow > 0 ? 'failing' : 'working'
    const secrets = secretsOf(secretKey, { accountId, ...endpoint })
    return { kind, url, secrets, state: pausedAt ? 'paused' : health, failuresInRow, lastSuccessAt }
  })
}

/** One address with its secrets; refuses when none is saved. */
export async function requireEndpoint(
  ctx: Pick<EndpointCtx, 'db' | 'secretKey'>,
  { accountId, kind }: Receiver,
): Promise<ShownEndpoint> {
  const found = (await showEndpoints(ctx, accountId)).find((endpoint) => endpoint.kind === kind)
  return found ?? refuseMissing(kind)
}

const oldSecretHours = 24

/** Makes a new secret. The old one signs too for a day, so that the receiver can switch; a leaked one ends at once. */
export async function rotateSecret(
  { db, secretKey }: Pick<EndpointCtx, 'db' | 'secretKey'>,
  receiver: Receiver,
  { isLeaked }: { isLeaked: boolean },
): Promise<string> {
  const secret = newSecret()
  const given = {
    secret: seal(secretKey, secret, sealContextOf(receiver)),
    keepOldHours: isLeaked ? 0 : oldSecretHours,
  }
  return (await replaceSecret(db, receiver, given)) ? secret : refuseMissing(receiver.kind)
}

/** Pauses or resumes deliveries. A pause loses nothing. */
export async function pauseEndpoint(db: Db, receiver: Receiver, isPaused: boolean): Promise<void> {
  const isDone = await db.transaction().execute((tx) => setPaused(tx, receiver, isPaused))
  if (!isDone) refuseMissing(receiver.kind)
}

export async function dropEndpoint(db: Db, receiver: Receiver): Promise<void> {
  if (!(await removeEndpoint(db, receiver))) refuseMissing(receiver.kind)
}

function refuseMissing(kind: EventKind): never {
  throw new Refusal('NOT_FOUND', `No address for ${kind} events is saved; save one with: webhook set --url …`)
}
