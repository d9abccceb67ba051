import assert from 'node:assert/strict'
import type { AlertEvent } from '@patchbay/contract/alert-event.ts'
import { pino } from 'pino'
import { linksAt } from '../../src/app/alerts/alert-texts.ts'
import { sendAlerts } from '../../src/app/alerts/send-alerts.ts'
import { changeConversation } from '../../src/journey/conversations/conversation-store.ts'
import { type Db, openWorkDb } from '../../src/platform/database/db.ts'
import type { AccountId, ContactId } from '../../src/platform/ids.ts'
import { contactOf, write } from './bots.ts'
import { saveUrl } from './deliveries.ts'
import { sharedApp, type TestAccount, type TestApp } from './harness.ts'

/** An app without background work, an account with an alert address, and looks that a test makes itself. */
export async function startAlerting(environment: Record<string, string> = {}) {
  await using started = new AsyncDisposableStack()
  const app = started.use(await sharedApp({ RATE_LIMIT_PER_MINUTE: '0', ...environment }))
  const account = await app.makeAccount()
  await saveUrl(app, account, 'http://127.0.0.1:9/alerts', 'alert')
  const workDb = () => started.use(openWorkDb(app.database.address, pino({ level: 'silent' })))
  const [db, other] = [workDb(), workDb()]
  const link = linksAt('https://chat.example.com')
  const running = started.move()
  return {
    app,
    account,
    /** A look of one process. */
    look: () => sendAlerts({ db, link }),
    /** Of another one. */
    lookBeside: () => sendAlerts({ db: other, link }),
    told: () => alertsOf(app, account.accountId),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** The alerts of an account, oldest first. */
export async function alertsOf({ db }: { db: Db }, accountId: AccountId): Promise<AlertEvent[]> {
  const rows = await db
    .selectFrom('deliveries')
    .select(['id', 'payload'])
    .where('accountId', '=', accountId)
    .where('receiverId', '=', 'alert')
    .orderBy('id')
    .execute()
  return rows.map(({ id, payload }) => {
    const event: AlertEvent = JSON.parse(payload)
    assert.equal(event.id, id)
    return event
  })
}

/** A contact writes and waits for a person from now on. */
export async function beginToWait(
  app: TestApp,
  account: TestAccount,
  fromId: string,
  fields: Record<string, unknown> = {},
): Promise<ContactId> {
  await write(account, 'Is anybody there?', { fromId, ...fields })
  const contactId = await contactOf(app, fromId)
  await setWaiting(app, { accountId: account.accountId, contactId }, true)
  return contactId
}

export async function setWaiting(
  { db }: { db: Db },
  ref: { accountId: AccountId; contactId: ContactId },
  isWaiting: boolean,
): Promise<void> {
  await db
    .transaction()
    .execute((tx) => changeConversation(tx, ref, { waiting: isWaiting ? 'asked_for_person' : null }))
}
