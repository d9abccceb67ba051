import assert from 'node:assert/strict'
import { makeDefaultCampaign } from '../../src/answers/campaigns/settings.ts'
import { hashApiKey, newApiKey } from '../../src/business/accounts/api-key.ts'
import { insertAccount, insertOwner, replaceKey } from '../../src/business/accounts/store.ts'
import { checkLedger } from '../../src/business/credits/check.ts'
import { showBalance, showHistory } from '../../src/business/credits/history.ts'
import type { Turn } from '../../src/business/credits/hold-store.ts'
import { type Charge, chargeHold, holdPrice } from '../../src/business/credits/spend.ts'
import { acrossAccounts, type Db } from '../../src/platform/database/db.ts'
import { type AccountId, type ContactId, newId, type UserId } from '../../src/platform/ids.ts'
import { type Answer, sharedApp, type TestAccount, type TestApp } from './harness.ts'

export const creditsPath = '/subaccounts/credits'

export type Subaccount = { accountId: AccountId; userId: UserId; email: string; apiKey: string }

/** An agency on an app of its own, whose ledger is checked when the test ends. */
export type World = {
  app: TestApp
  db: Db
  agency: TestAccount
  /** A sub-account, of this agency unless another is named. */
  makeSub: (of?: AccountId) => Promise<Subaccount>
  /** Grants as the agency; may be refused. */
  ask: (body: unknown, options?: { once?: string; key?: string; app?: TestApp }) => Promise<Answer>
  [Symbol.asyncDispose]: () => Promise<void>
}

export async function startAgency(given?: TestApp): Promise<World> {
  const app = given ?? (await sharedApp({ RATE_LIMIT_PER_MINUTE: '0' }))
  const { db } = app
  const agency = await app.makeAccount({ kind: 'agency' })
  return {
    app,
    db,
    agency,
    makeSub: (of = agency.accountId) => makeSubaccount(db, of),
    ask: (body, { once, key = agency.apiKey, app: at = app } = {}) =>
      at.call('POST', creditsPath, {
        headers: { 'x-api-key': key, ...(once === undefined ? {} : { 'idempotency-key': once }) },
        ...(typeof body === 'string' ? { raw: body } : { body }),
      }),
    [Symbol.asyncDispose]: async () => {
      try {
        await assertLedgerHolds(db)
      } finally {
        await app[Symbol.asyncDispose]()
      }
    },
  }
}

let made = 0

/** What createSubaccount does, without the slow password hash. */
export async function makeSubaccount(db: Db, agencyId: AccountId, login?: string): Promise<Subaccount> {
  made += 1
  const account = {
    accountId: newId('acc'),
    userId: newId('usr'),
    email: login ?? `sub${made}-${process.pid}@example.com`,
    apiKey: newApiKey(),
  }
  const { accountId, userId, email } = account
  await db.transaction().execute(async (tx) => {
    await insertAccount(tx, { id: accountId, kind: 'subaccount', agencyId })
    await insertOwner(tx, { id: userId, accountId, email, passwordHash: 'none' })
    await replaceKey(tx, accountId, hashApiKey(account.apiKey))
    await makeDefaultCampaign(tx, accountId)
  })
  return account
}

/** Checks every invariant, and the sum of the history that people see. */
export async function assertLedgerHolds(db: Db): Promise<void> {
  assert.deepEqual(await checkLedger(db), [])
  for (const { accountId } of await acrossAccounts(db).selectFrom('balances').select('accountId').execute()) {
    const { balance } = await showBalance(db, accountId)
    const { entries } = await showHistory(db, accountId, { limit: 1_000_000 })
    const sum = entries.reduce((units, { amount }) => units + Math.round(amount * 10_000), 0)
    assert.equal(sum / 10_000, balance, `the history of ${accountId}`)
  }
}

export async function countEntries({ db }: { db: Db }): Promise<number> {
  return (await db.selectFrom('ledger').select('id').execute()).length
}

let turns = 0

/** A pending turn, in a conversation of its own. It is due later, so that no worker of the test's server takes it. */
export async function oweTurn(db: Db, accountId: AccountId): Promise<Turn> {
  turns += 1
  const turn = { accountId, contactId: newId('con'), fromSeq: String(turns) }
  await db
    .insertInto('turns')
    .values({ ...turn, lastSeq: turn.fromSeq, dueAt: new Date(Date.now() + 3_600_000) })
    .execute()
  return turn
}

/** Settles a turn with its charge, as the bot does. */
export async function settle(db: Db, turn: Turn): Promise<Charge | undefined> {
  return db.transaction().execute(async (tx) => {
    await dropTurn(tx, turn)
    return chargeHold(tx, turn)
  })
}

export async function dropTurn(db: Db, { accountId, contactId }: { accountId: AccountId; contactId: ContactId }) {
  await db.deleteFrom('turns').where('accountId', '=', accountId).where('contactId', '=', contactId).execute()
}

/** Holds and charges the price of one turn. */
export async function charge(db: Db, accountId: AccountId, price: number): Promise<Charge | undefined> {
  const turn = await oweTurn(db, accountId)
  assert.equal(await holdPrice(db, { ...turn, price }), 'held')
  return settle(db, turn)
}
