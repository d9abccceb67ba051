import { showBalance, showDays } from '../../business/credits/history.ts'
import type { Handlers } from '../../business/sessions/handlers.ts'
import type { Session } from '../../business/sessions/session-store.ts'
import { findShownAccount } from '../../business/sessions/user-store.ts'
import type { Db } from '../../platform/database/db.ts'
import { sendCsv } from '../../platform/http/send-csv.ts'
import { historyCsv, ownHistory } from './history.ts'
import { findAgency } from './store.ts'
import { chartDays, listMessagePrices, listPrices, requireSubaccount, shownBalance, stateOf } from './subaccounts.ts'

type Routes = Extract<keyof Handlers, `GET /api/credits${string}`>

/** A sub-account's own credits: only to be read. */
export function ownCreditsHandlers(db: Db): Pick<Handlers, Routes> {
  return {
    'GET /api/credits': async ({ session }) => {
      const { accountId, agencyId, agencyName } = await whose(db, session)
      return {
        ...shownBalance(await showBalance(db, accountId)),
        state: stateOf(await requireSubaccount(db, agencyId, accountId)),
        agencyName,
        campaigns: await listPrices(db, accountId),
        channels: await listMessagePrices(db, accountId),
        days: await showDays(db, accountId, chartDays),
      }
    },
    'GET /api/credits/history': async ({ session, query }) => ownHistory(db, await whose(db, session), query),
    'GET /api/credits/history/csv': async ({ session, http, reply }) =>
      sendCsv({ http, reply, fileName: 'credits.csv' }, historyCsv(db, await whose(db, session))),
  }
}

async function whose(db: Db, { accountId }: Session) {
  const agencyId = await findAgency(db, accountId)
  return { accountId, agencyId, agencyName: (await findShownAccount(db, agencyId)).name }
}
