import type { Act } from '@patchbay/contract/app/audit.ts'
import { type By, noteAct, operator } from '../../../../business/audit/store.ts'
import { findReceivers, removeReceiver, setPaused } from '../../../../outbox/receiver-store.ts'
import { messageWebhook, type Receiver } from '../../../../outbox/receivers.ts'
import type { Db, Tx } from '../../../../platform/database/db.ts'
import type { AccountId, ReceiverId } from '../../../../platform/ids.ts'
import { OutboundError } from '../../../../platform/outbound/call.ts'
import type { Outbound } from '../../../../platform/outbound/client.ts'
import { Refusal } from '../../../../platform/refusal.ts'
import { seal, unseal } from '../../../../platform/secrets/seal.ts'
import { newSecret, sealContextOf, secretsOf } from './signing-keys.ts'
import { dropOldSecret, replaceSecret, saveWebhook } from './webhook-store.ts'

export type WebhookCtx = Readonly<{ db: Db; secretKey: Buffer; outbound: Outbound }>

/** An address as shown to the account holder, with the secrets that sign for it, the newest first. */
export type ShownWebhook = {
  receiverId: ReceiverId
  url: string
  secrets: string[]
  state: 'working' | 'failing' | 'paused' | 'gone'
  failuresInRow: number
  lastSuccessAt: Date | null
}

/** Saves where an account's events go. The first address makes the secret; a later one keeps it. */
export async function setWebhook(
  { db, secretKey, outbound }: WebhookCtx,
  receiver: Receiver,
  { url: text, by = operator }: { url: string; by?: By },
): Promise<{ url: string; secret: string }> {
  const url = await requireAllowedUrl(outbound, text)
  const fresh = seal(secretKey, newSecret(), sealContextOf(receiver))
  const sealed = await db.transaction().execute(async (tx) => {
    await note(tx, receiver, { act: 'webhook changed', by, details: { host: new URL(url).host } })
    return saveWebhook(tx, receiver, { url, secret: fresh })
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

export async function showWebhooks(
  { db, secretKey }: Pick<WebhookCtx, 'db' | 'secretKey'>,
  accountId: AccountId,
): Promise<ShownWebhook[]> {
  const receivers = await findReceivers(db, accountId)
  return receivers.map((receiver) => {
    const { id: receiverId, url, failuresInRow, lastSuccessAt, pausedAt, goneAt } = receiver
    const health = goneAt ? 'gone' : failuresInRow > 0 ? 'failing' : 'working'
    const secrets = secretsOf(secretKey, { ...receiver, accountId, receiverId })
    return { receiverId, url, secrets, state: pausedAt ? 'paused' : health, failuresInRow, lastSuccessAt }
  })
}

/** One address with its secrets; refuses when none is saved. */
export async function requireWebhook(
  ctx: Pick<WebhookCtx, 'db' | 'secretKey'>,
  { accountId, receiverId }: Receiver,
): Promise<ShownWebhook> {
  const found = (await showWebhooks(ctx, accountId)).find((webhook) => webhook.receiverId === receiverId)
  return found ?? refuseMissing(receiverId)
}

const oldSecretHours = 24

/** Makes a new secret. The old one signs too for a day, so that the receiver can switch; a leaked one ends at once. */
export async function rotateSecret(
  { db, secretKey }: Pick<WebhookCtx, 'db' | 'secretKey'>,
  receiver: Receiver,
  { isLeaked, by = operator }: { isLeaked: boolean; by?: By },
): Promise<string> {
  const secret = newSecret()
  const keepOldHours = isLeaked ? 0 : oldSecretHours
  await db.transaction().execute(async (tx) => {
    const given = { secret: seal(secretKey, secret, sealContextOf(receiver)), keepOldHours }
    if (!(await replaceSecret(tx, receiver, given))) refuseMissing(receiver.receiverId)
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
export async function pauseReceiver(
  db: Db,
  receiver: Receiver,
  { isPaused, by = operator }: { isPaused: boolean; by?: By },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!(await setPaused(tx, receiver, isPaused))) refuseMissing(receiver.receiverId)
    await note(tx, receiver, { act: isPaused ? 'webhook paused' : 'webhook resumed', by })
  })
}

export async function removeWebhook(db: Db, receiver: Receiver, by: By = operator): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!(await removeReceiver(tx, receiver))) refuseMissing(receiver.receiverId)
    await note(tx, receiver, { act: 'webhook removed', by })
  })
}

type AuditNote = { act: Act; by: By; details?: Record<string, string | number> }

/** Names the receiver, unless it is that of the replies, as `kind`: lines of the audit are kept for years. */
async function note(tx: Tx, { accountId, receiverId }: Receiver, { act, by, details }: AuditNote): Promise<void> {
  const kind = receiverId !== messageWebhook && { kind: receiverId }
  await noteAct(tx, accountId, { act, ...by, details: { ...details, ...kind } })
}

function refuseMissing(receiverId: ReceiverId): never {
  throw new Refusal('NOT_FOUND', `No address for ${receiverId} events is saved; save one with: webhook set --url …`)
}
