import type { LedgerCheck, PricedCampaign, PricedChannel, SubaccountDetail } from '@patchbay/contract/app/agency.ts'
import type { ReplyOf } from '@patchbay/contract/app/routes.ts'
import type { Static } from 'typebox'
import { allSettings } from '../../answers/campaigns/settings.ts'
import { listCampaigns } from '../../answers/campaigns/store.ts'
import { creditsOf } from '../../business/credits/amount.ts'
import { readLastCheck } from '../../business/credits/check-store.ts'
import { type ShownBalance, showBalance, showBalances, showDays } from '../../business/credits/history.ts'
import type { Sendable } from '../../business/sessions/handlers.ts'
import { listChannels } from '../../journey/channels/store.ts'
import type { Db } from '../../platform/database/db.ts'
import { type AccountId, isId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { readPlace, writePlace } from '../../platform/sorted-place.ts'
import type { RateBounds } from './change-subaccount.ts'
import {
  countSubaccounts,
  findSubaccount,
  listSubaccounts,
  readSparks,
  type SubaccountOrder,
  type SubaccountRow,
} from './store.ts'

const { creditsPerReply: usualPrice } = allSettings({})
export const chartDays = 30
const usualLimit = 50

type ListQuery = { q?: string; filter?: 'all' | 'low'; sort?: SubaccountOrder; before?: string; limit?: string }

export async function showSubaccounts(
  db: Db,
  agencyId: AccountId,
  { q, filter, sort = 'newest', before, limit: given }: ListQuery,
): Promise<Sendable<ReplyOf<'GET /api/agency/subaccounts'>>> {
  const limit = Number(given ?? usualLimit)
  const rows = await listSubaccounts(db, agencyId, {
    q: q?.replaceAll('\0', '').trim().toLowerCase() || undefined, // PostgreSQL takes no NUL
    onlyLow: filter === 'low',
    sort,
    after: before === undefined ? undefined : readCursor(sort, before),
    limit: limit + 1,
    usualPrice,
  })
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  const ids = page.map(({ id }) => id)
  const [balanceOf, sparkOf] = [await showBalances(db, ids), await readSparks(db, ids, chartDays)]
  return {
    subaccounts: page.map((row) => ({ ...shown(row, balanceOf(row.id)), spark: sparkOf(row.id).map(creditsOf) })),
    next: last ? writeCursor(sort, last) : null,
    ...(await countSubaccounts(db, agencyId, usualPrice)),
    ledgerCheck: await showCheck(db),
  }
}

/** Where the newest come first, the id is the order. */
function writeCursor(sort: SubaccountOrder, last: { key: string; id: AccountId }): string {
  return sort === 'newest' ? last.id : writePlace(last)
}

function readCursor(sort: SubaccountOrder, before: string) {
  return readPlace('acc', sort === 'newest' ? `.${before}` : before, sort === 'balance' ? /^-?\d{1,19}$/ : undefined)
}

async function showCheck(db: Db): Promise<Sendable<LedgerCheck> | null> {
  const last = await readLastCheck(db)
  return last ? { at: last.at, addsUp: last.breaches === 0 } : null
}

/** Another agency's sub-account is as unknown as one that does not exist. */
export async function requireSubaccount(db: Db, agencyId: AccountId, accountId: string): Promise<SubaccountRow> {
  const found = isId('acc', accountId) ? await findSubaccount(db, { agencyId, accountId, usualPrice }) : undefined
  if (!found) throw new Refusal('NOT_FOUND', `You have no sub-account ${accountId}.`)
  return found
}

export async function showSubaccount(
  db: Db,
  row: SubaccountRow,
  { usual: usualRateLimit, most: mostRateLimit }: RateBounds,
): Promise<Sendable<SubaccountDetail>> {
  const { id, createdAt, rateLimitPerMinute } = row
  return {
    subaccount: shown(row, await showBalance(db, id)),
    createdAt,
    rateLimitPerMinute,
    usualRateLimit,
    mostRateLimit,
    campaigns: await listPrices(db, id),
    channels: await listMessagePrices(db, id),
    days: await showDays(db, id, chartDays),
  }
}

export async function listPrices(db: Db, accountId: AccountId): Promise<Static<typeof PricedCampaign>[]> {
  const rows = await listCampaigns(db, accountId)
  return rows.map(({ id, name, status, settings }) => {
    return { id, name, status, creditsPerReply: allSettings(settings).creditsPerReply }
  })
}

export async function listMessagePrices(db: Db, accountId: AccountId): Promise<PricedChannel[]> {
  const rows = await listChannels(db, accountId)
  return rows.map(({ id, kind, name, creditsPerMessage }) => {
    return { id, kind, name, creditsPerMessage: creditsOf(creditsPerMessage) }
  })
}

function shown({ id, name, email, ...row }: SubaccountRow, balance: ShownBalance) {
  return { id, name, email, ...shownBalance(balance), state: stateOf(row) }
}

export function shownBalance({ balance, held, recharge }: ShownBalance) {
  if (recharge === null) return { balance, held, recharge }
  const { threshold, amount, isArmed } = recharge
  return { balance, held, recharge: { threshold, amount, isAsked: !isArmed } }
}

export function stateOf({ isEmpty, isLow }: Pick<SubaccountRow, 'isEmpty' | 'isLow'>): 'ok' | 'low' | 'empty' {
  return isEmpty ? 'empty' : isLow ? 'low' : 'ok'
}
