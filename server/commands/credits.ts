import { openSubaccount } from '../open-account.ts'
import { findAccount, listAccounts } from '../src/accounts/store.ts'
import { creditsOf, unitsOf } from '../src/credits/amount.ts'
import { checkLedger } from '../src/credits/check.ts'
import { grantWithin } from '../src/credits/grant.ts'
import { showBalance, showBalances, showDays, showHistory } from '../src/credits/history.ts'
import { setRecharge } from '../src/credits/recharge.ts'
import { reverseEntry } from '../src/credits/reverse.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import { command } from './shared/command.ts'
import { readCount } from './shared/read-count.ts'

export const subaccountCreate = command({
  summary: 'open a sub-account of an agency, with so many credits',
  required: ['agency', 'email'],
  optional: ['password', 'credits'],
  run: ({ withDatabase }, { agency, email, password, credits }) =>
    withDatabase((db) =>
      db.transaction().execute(async (tx) => {
        const created = await openSubaccount(tx, agency, { email, password })
        if (credits === undefined || unitsOf(readNumber('credits', credits)) === 0n) return { ...created, balance: 0 }
        const order = { agency: await findAccount(tx, agency), email, amount: readNumber('credits', credits) }
        const granted = await grantWithin(tx, { ...order, description: 'First credits', actor: 'operator' })
        return { ...created, balance: creditsOf(granted.balanceAfter) }
      }),
    ),
})

export const subaccountShow = command({
  summary: "an agency's sub-accounts, with what they have",
  required: ['agency'],
  run: ({ withDatabase }, { agency }) =>
    withDatabase(async (db) => {
      const subaccounts = await listAccounts(db, { agencyId: (await findAccount(db, agency)).id })
      const balanceOf = await showBalances(
        db,
        subaccounts.map(({ accountId }) => accountId),
      )
      return { subaccounts: subaccounts.map((account) => ({ ...account, ...balanceOf(account.accountId) })) }
    }),
})

export const creditsGrant = command({
  summary: 'grant credits to a sub-account',
  required: ['agency', 'email', 'amount'],
  optional: ['description'],
  run: ({ withDatabase }, { agency, email, amount, description }) =>
    withDatabase((db) =>
      db.transaction().execute(async (tx) => {
        const order = {
          agency: await findAccount(tx, agency),
          email,
          amount: readNumber('amount', amount),
          description,
        }
        const { entryId, accountId, ...granted } = await grantWithin(tx, { ...order, actor: 'operator' })
        return { accountId, entryId, creditsAdded: creditsOf(granted.amount), balance: creditsOf(granted.balanceAfter) }
      }),
    ),
})

export const creditsReverse = command({
  summary: 'take a movement of credits back by one the other way round; nothing is ever changed or removed',
  required: ['account', 'entry'],
  optional: ['description'],
  run: ({ withDatabase }, { account, entry, description }) =>
    withDatabase(async (db) => {
      const { id } = await findAccount(db, account)
      return reverseEntry(db, id, { entry, description, actor: 'operator' })
    }),
})

export const rechargeSet = command({
  summary: 'ask the agency for so many credits when a sub-account has fewer than the threshold; threshold 0: never',
  required: ['account', 'threshold', 'amount'],
  run: ({ withDatabase }, { account, threshold, amount }) =>
    withDatabase(async (db) => {
      const found = await findAccount(db, account)
      const wanted = { threshold: readNumber('threshold', threshold), amount: readNumber('amount', amount) }
      await setRecharge(db, found, wanted)
      return { accountId: found.id, ...(await showBalance(db, found.id)) }
    }),
})

const most = 1_000
const mostDays = 366

export const ledger = command({
  summary: "a sub-account's credits and their history, newest first; or with --days what each of the last days brought",
  required: ['account'],
  optional: ['limit', 'before', 'days'],
  run: ({ withDatabase }, { account, limit = '50', before, days }) =>
    withDatabase(async (db) => {
      const { id } = await findAccount(db, account)
      const shown = { accountId: id, ...(await showBalance(db, id)) }
      if (days !== undefined) return { ...shown, days: await showDays(db, id, readCount('days', days, mostDays)) }
      const from = before === undefined ? undefined : readCount('before', before, Number.MAX_SAFE_INTEGER)
      return { ...shown, ...(await showHistory(db, id, { limit: readCount('limit', limit, most), before: from })) }
    }),
})

export const ledgerCheck = command({
  summary: 'verify that the ledger adds up in every way; exits with 1 and says where when it does not',
  run: ({ withDatabase }) =>
    withDatabase(async (db) => {
      const breaches = await checkLedger(db)
      if (breaches.length > 0) process.exitCode = 1
      return { ok: breaches.length === 0, breaches }
    }),
})

/** As it was written: a number could not hold all digits that somebody may give. */
function readNumber(name: string, text: string): string {
  if (/^\d+(\.\d+)?$/.test(text)) return text
  throw new OperatorError(`--${name} must be a number of credits, such as 10 or 0.5; it is "${text}".`)
}
