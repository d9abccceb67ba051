import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { setWebhook } from '../../src/journey/delivery/transports/webhook/webhooks.ts'
import { listAttempts } from '../../src/journey/messages/attempt-log.ts'
import { type ListedMessage, listMessages } from '../../src/journey/messages/store.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import type { Db, Tx } from '../../src/platform/database/db.ts'
import { retryConflicts } from '../../src/platform/database/retry.ts'
import type { AccountId, ReceiverId } from '../../src/platform/ids.ts'
import { openOutbound } from '../../src/platform/outbound/client.ts'
import { secretKey, sharedUnless, type TestAccount, type TestApp } from './harness.ts'
import { outgoing, sendPath } from './message-requests.ts'
import type { Received } from './receivers.ts'
import { patienceMs } from './until.ts'

/** Ten retry delays, as many as by default, but short. */
export const quickRetries = Array(10).fill('0.02').join(',')

/**
 * An app that also delivers, with retry delays of milliseconds. The timeout of an attempt is the usual one: with a second,
 * a process that is suspended for a second would delay a message by a minute.
 */
export function startDelivering(
  environment: Record<string, string> = {},
  besides?: TestApp,
  attemptMs?: number,
): Promise<TestApp> {
  const quick = { ROLE: 'all', DELIVERY_RETRY_SECONDS: quickRetries }
  return sharedUnless({ ...quick, ...environment }, besides, attemptMs)
}

/** Saves the URL of an account's events, as `webhook set` does; returns the secret. */
export async function saveUrl(
  { db }: { db: Db },
  { accountId }: { accountId: AccountId },
  url: string,
  receiverId: ReceiverId = 'reply',
): Promise<string> {
  const outbound = openOutbound({ allowed: readConfig({}).outboundAllowed })
  const { secret } = await setWebhook({ db, secretKey, outbound }, { accountId, receiverId }, { url })
  await outbound.close()
  return secret
}

/** Sends a message and returns its id. */
export async function sendOne(account: TestAccount, over: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await account.post(sendPath, outgoing(over))
  assert.equal(status, 200)
  return body.messageId
}

/** The account's messages, newest first, once all match the condition; fails after a while. */
export async function untilMessages(
  { db }: { db: Db },
  { accountId }: { accountId: AccountId },
  areReady: (messages: ListedMessage[]) => boolean,
  withinMs = patienceMs,
): Promise<ListedMessage[]> {
  const giveUpAt = performance.now() + withinMs
  for (;;) {
    const messages = await listMessages(db, accountId, { contactId: undefined, limit: 20_000 })
    if (areReady(messages)) return messages
    if (performance.now() > giveUpAt) {
      const shown = messages.slice(0, 5).map(({ status, attempts, error }) => ({ status, attempts, error }))
      throw new Error(`the messages did not match the condition: ${JSON.stringify(shown)}`)
    }
    await sleep(15)
  }
}

export const allSent = (messages: ListedMessage[]) => messages.every(({ status }) => status === 'Sent')

/** The only message, once it matches the condition. */
export async function untilMessage(
  app: { db: Db },
  account: { accountId: AccountId },
  isReady: (message: ListedMessage) => boolean,
): Promise<ListedMessage> {
  const [message] = await untilMessages(app, account, ([first]) => first !== undefined && isReady(first))
  assert.ok(message)
  return message
}

/** From the last attempt to the next one, both as stored, so that it does not matter when a test reads them. */
export async function secondsToNext(
  { db }: { db: Db },
  { accountId }: { accountId: AccountId },
  { id, nextAttemptAt }: ListedMessage,
): Promise<number> {
  const [last] = await listAttempts(db, accountId, id)
  assert.ok(last && nextAttemptAt)
  return (nextAttemptAt.getTime() - last.at.getTime()) / 1_000
}

/** Lets time pass in the database: moves all stored times back by the interval. */
export async function passTime(db: Db, interval: string): Promise<void> {
  const columns: Record<string, string[]> = {
    receivers: [
      'probe_at',
      'failing_since',
      'last_success_at',
      'old_secret_until',
      'paused_at',
      'gone_at',
      'created_at',
    ],
    deliveries: ['due_at', 'own_due_at', 'leased_until', 'first_attempt_at', 'last_attempt_at', 'sent_at'],
    attachments: ['due_at', 'leased_until'],
    delivery_attempts: ['at'],
    turns: ['due_at', 'first_at', 'leased_until'],
    messages: ['created_at'],
    conversations: ['person_at', 'handler_since', 'waiting_since'],
    answers: ['created_at'],
    channels: ['attention_since'],
    broadcasts: ['paced_at', 'waiting_since', 'resumed_at', 'halted_at', 'starts_at'],
    broadcast_recipients: ['made_at'],
    broadcast_marks: ['looked_at', 'watched_until'],
    alert_states: ['since', 'told_at', 'over_since'],
  }
  // All in one statement: no query may see some times moved and others not.
  const moveAll = async (tx: Tx) => {
    for (const [table, names] of Object.entries(columns)) {
      const moved = names.map((name) => sql`${sql.ref(name)} = ${sql.ref(name)} - ${interval}::interval`)
      await sql`update ${sql.table(table)} set ${sql.join(moved)}`.execute(tx)
    }
    return 'moved'
  }
  await retryConflicts(() => db.transaction().execute(moveAll)) // a delivery that is settled meanwhile may get in the way
}

/** Verifies a request with a third-party library; throws when the signature is invalid. */
export function verify(secret: string, { headers, body }: Pick<Received, 'headers' | 'body'>): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>)
}
