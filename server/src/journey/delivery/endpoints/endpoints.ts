import type { Act } from '@patchbay/contract/app/audit.ts'
import { type By, noteAct, operator } from '../../../business/audit/store.ts'
import type { EventKind } from '../../../outbox/owe-events.ts'
import type { Receiver } from '../../../outbox/receiver.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'
import type { Outbound } from '../../../platform/outbound/client.ts'
import { OutboundError } from '../../../platform/outbound/outbound-error.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { seal, unseal } from '../../../platform/secrets/seal.ts'
import { newSecret } from '../attempt/signature.ts'
import { sealContextOf, secretsOf } from '../attempt/signing-keys.ts'
import {
  dropOldSecret,
  findEndpoints,
  removeEndpoint,
  replaceSecret,
  saveEndpoint,
  setPaused,
} from './endpoint-store.ts'

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
  { url: text, by = operator }: { url: string; by?: By },
): Promise<{ url: string; secret: string }> {
  const url = await requireAllowedUrl(outbound, text)
  const fresh = seal(secretKey, newSecret(), sealContextOf(receiver))
  const sealed = await db.transaction().execute(async (tx) => {
    await note(tx, receiver, { act: 'webhook changed', by, details: { host: new URL(url).host } })
    return saveEndpoint(tx, receiver, { url, secret: fresh })
  })
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
  { isLeaked, by = operator }: { isLeaked: boolean; by?: By },
): Promise<string> {
  const secret = newSecret()
  const keepOldHours = isLeaked ? 0 : oldSecretHours
  await db.transaction().execute(async (tx) => {
    const given = { secret: seal(secretKey, secret, sealContextOf(receiver)), keepOldHours }
    if (!(await replaceSecret(tx, receiver, given))) refuseMissing(receiver.kind)
    await note(tx, receiver, { act: 'secret rotated', by, details: { keepOldHours } })
  })
  return secret
}

/** From now on only the newest secret signs. */
export async function endOldSecret(db: Db, receiver: Receiver, by: By): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await dropOldSecret(tx, receiver)
    await note(tx, receiver, { act: 'old secret ended', by })
  })
}

/** Pauses or resumes deliveries. A pause loses nothing. */
export async function pauseEndpoint(
  db: Db,
  receiver: Receiver,
  { isPaused, by = operator }: { isPaused: boolean; by?: By },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!(await setPaused(tx, receiver, isPaused))) refuseMissing(receiver.kind)
    await note(tx, receiver, { act: isPaused ? 'webhook paused' : 'webhook resumed', by })
  })
}

export async function dropEndpoint(db: Db, receiver: Receiver, by: By = operator): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!(await removeEndpoint(tx, receiver))) refuseMissing(receiver.kind)
    await note(tx, receiver, { act: 'webhook removed', by })
  })
}

type Noted = { act: Act; by: By; details?: Record<string, string | number> }

/** Of which receiver: that of the replies needs no mention. */
async function note(tx: Tx, { accountId, kind }: Receiver, { act, by, details }: Noted): Promise<void> {
  await noteAct(tx, accountId, { act, ...by, details: { ...details, ...(kind !== 'reply' && { kind }) } })
}

function refuseMissing(kind: EventKind): never {
  throw new Refusal('NOT_FOUND', `No address for ${kind} events is saved; save one with: webhook set --url …`)
}
