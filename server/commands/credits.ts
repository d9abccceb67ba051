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
  summary: 'create a sub-account of an agency; --credits grants its first credits',
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
  summary: "list an agency's sub-accounts with balance, held credits and recharge settings",
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
  summary: 'reverse a movement of credits by an opposite one; the history is never changed',
  required: ['account', 'entry'],
  optional: ['description'],
  run: ({ withDatabase }, { account, entry, description }) =>
    withDatabase(async (db) => {
      const { id } = await findAccount(db, account)
      return reverseEntry(db, id, { entry, description, actor: 'operator' })
    }),
})

export const rechargeSet = command({
  summary:
    'send the agency a recharge request for --amount credits when a sub-account has fewer than --threshold; threshold 0: never',
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
  summary: "show a sub-account's balance and history, newest first; or with --days the sums of each of the last days",
  required: ['account'],
  optional: ['limit', 'before', 'days'],
  run: ({ withDatabase }, { account, limit = '50', before, days }) =>
    withDatabase(async (db) => {
      const { id } = await findAccount(db, account)
      const shown = { accountId: id, ...(await showBalance(db, id)) }
      if (days !== undefined) return { ...shown, days: await showDays(db, id, readCount('days', days, mostDays)) }
      const beforeSeq = before === undefined ? undefined : readCount('before', before, Number.MAX_SAFE_INTEGER)
      return { ...shown, ...(await showHistory(db, id, { limit: readCount('limit', limit, most), before: beforeSeq })) }
    }),
})

export const ledgerCheck = command({
  summary: 'verify all invariants of the ledger; on a violation exits with 1 and lists it',
  run: ({ withDatabase }) =>
    withDatabase(async (db) => {
      const breaches = await checkLedger(db)
      if (breaches.length > 0) process.exitCode = 1
      return { ok: breaches.length === 0, breaches }
    }),
})

/** Returned as text: a JavaScript number cannot hold every digit that may be given. */
function readNumber(name: string, text: string): string {
  if (/^\d+(\.\d+)?$/.test(text)) return text
  throw new OperatorError(`--${name} must be a number of credits, such as 10 or 0.5; it is "${text}".`)
}
