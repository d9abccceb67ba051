import { openSubaccount } from '../src/app/agency/create-subaccount.ts'
import { changeRecharge, grantCredits, takeBack } from '../src/app/agency/credits.ts'
import { findAccount, listAccounts } from '../src/business/accounts/store.ts'
import { operator } from '../src/business/audit/store.ts'
import { creditsOf, unitsOf } from '../src/business/credits/amount.ts'
import { checkLedger } from '../src/business/credits/check.ts'
import { showBalance, showBalances, showDays, showHistory } from '../src/business/credits/history.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import type { Run } from './declarations.ts'
import { readCount } from './shared/read-count.ts'

export const subaccountCreate: Run<'subaccount create'> = ({ withDatabase }, { agency, email, password, credits }) =>
  withDatabase((db) =>
    db.transaction().execute(async (tx) => {
      const owner = await findAccount(tx, agency)
      const created = await openSubaccount(tx, owner, { email, password, by: operator })
      if (credits === undefined || unitsOf(readNumber('credits', credits)) === 0n) return { ...created, balance: 0 }
      const order = { agency: owner, email, amount: readNumber('credits', credits), description: 'First credits' }
      const granted = await grantCredits(tx, { ...order, actor: 'operator' }, operator)
      return { ...created, balance: creditsOf(granted.balanceAfter) }
    }),
  )

export const subaccountShow: Run<'subaccount show'> = ({ withDatabase }, { agency }) =>
  withDatabase(async (db) => {
    const subaccounts = await listAccounts(db, { agencyId: (await findAccount(db, agency)).id })
    const balanceOf = await showBalances(
      db,
      subaccounts.map(({ accountId }) => accountId),
    )
    return { subaccounts: subaccounts.map((account) => ({ ...account, ...balanceOf(account.accountId) })) }
  })

export const creditsGrant: Run<'credits grant'> = ({ withDatabase }, { agency, email, amount, description }) =>
  withDatabase((db) =>
    db.transaction().execute(async (tx) => {
      const order = {
        agency: await findAccount(tx, agency),
        email,
        amount: readNumber('amount', amount),
        description,
      }
      const { entryId, accountId, ...granted } = await grantCredits(tx, { ...order, actor: 'operator' }, operator)
      return { accountId, entryId, creditsAdded: creditsOf(granted.amount), balance: creditsOf(granted.balanceAfter) }
    }),
  )

export const creditsReverse: Run<'credits reverse'> = ({ withDatabase }, { account, entry, description }) =>
  withDatabase(async (db) => {
    const found = await findAccount(db, account)
    return takeBack(db, found, { entry, description, actor: 'operator', by: operator })
  })

export const rechargeSet: Run<'recharge set'> = ({ withDatabase }, { account, threshold, amount }) =>
  withDatabase(async (db) => {
    const found = await findAccount(db, account)
    const wanted = { threshold: readNumber('threshold', threshold), amount: readNumber('amount', amount) }
    await changeRecharge(db, found, { ...wanted, by: operator })
    return { accountId: found.id, ...(await showBalance(db, found.id)) }
  })

const most = 1_000
const mostDays = 366

export const ledger: Run<'ledger'> = ({ withDatabase }, { account, limit = '50', before, days }) =>
  withDatabase(async (db) => {
    const { id } = await findAccount(db, account)
    const shown = { accountId: id, ...(await showBalance(db, id)) }
    if (days !== undefined) return { ...shown, days: await showDays(db, id, readCount('days', days, mostDays)) }
    const beforeSeq = before === undefined ? undefined : readCount('before', before, Number.MAX_SAFE_INTEGER)
    return { ...shown, ...(await showHistory(db, id, { limit: readCount('limit', limit, most), before: beforeSeq })) }
  })

export const ledgerCheck: Run<'ledger check'> = ({ withDatabase, fail }) =>
  withDatabase(async (db) => {
    const breaches = await checkLedger(db)
    if (breaches.length > 0) fail()
    return { ok: breaches.length === 0, breaches }
  })

/** Returned as text: a JavaScript number cannot hold every digit that may be given. */
function readNumber(name: string, text: string): string {
  if (/^\d+(\.\d+)?$/.test(text)) return text
  throw new OperatorError(`--${name} must be a number of credits, such as 10 or 0.5; it is "${text}".`)
}
