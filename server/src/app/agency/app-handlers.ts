/** An agency's sub-accounts: what they have, what they may, what they pay. */

import { hash } from 'node:crypto'
import type { GrantOrder } from '@patchbay/contract/app/agency.ts'
import type { NewLink } from '@patchbay/contract/app/team.ts'
import { given } from '@patchbay/contract/text.ts'
import type { Static } from 'typebox'
import { noteBoth } from '../../business/audit/note-both.ts'
import type { By } from '../../business/audit/store.ts'
import { creditsOf } from '../../business/credits/amount.ts'
import type { Handlers, Sendable } from '../../business/sessions/handlers.ts'
import type { Session } from '../../business/sessions/session-store.ts'
import { noteAgencyLink } from '../../business/team/link-store.ts'
import { type LinkCtx, lockAsMaker, writePasswordLink } from '../../business/team/links.ts'
import { lockMembers } from '../../business/team/member-store.ts'
import { type Config, givenPublicUrl } from '../../platform/config/config.ts'
import type { Db } from '../../platform/database/db.ts'
import { sendCsv } from '../../platform/http/send-csv.ts'
import type { AccountId } from '../../platform/ids.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { Refusal } from '../../platform/refusal.ts'
import { changeSubaccount, firstRate, rateBounds, setMessagePrice, setPrice } from './change-subaccount.ts'
import { openForAgency } from './create-subaccount.ts'
import { changeRecharge, grantCredits, takeBack } from './credits.ts'
import { agencyHistory, historyCsv } from './history.ts'
import { requireSubaccount, showSubaccount, showSubaccounts } from './subaccounts.ts'

type Ctx = Readonly<{ db: Db; config: Pick<Config, 'rateLimitPerMinute' | 'publicUrl' | 'namesSet'>; hint: Hint }>
type Routes = Extract<keyof Handlers, `${string} /api/agency/subaccounts${string}`>

export function agencyHandlers(ctx: Ctx): Pick<Handlers, Routes> {
  const { db } = ctx
  const { bothOf, change, show, boundsOf } = openChanges(ctx)
  return {
    'GET /api/agency/subaccounts': ({ session, query }) => showSubaccounts(db, session.accountId, query),
    'POST /api/agency/subaccounts': async ({ session, body, by }) => {
      // The agency is shown the password. A key would be seen by nobody, and yet count as made in the sub-account's first run.
      const wanted = { name: body.name.trim(), email: body.email, apiKey: null, by }
      const made = await openForAgency(db, session.accountId, { ...wanted, rate: firstRate(await boundsOf(session)) })
      return { id: made.accountId, email: made.email, password: made.password ?? '' }
    },
    'GET /api/agency/subaccounts/:accountId': ({ session, params }) => show(session, params.accountId),
    'PATCH /api/agency/subaccounts/:accountId': ({ session, params, body, by }) =>
      change(session, params, async (both) =>
        changeSubaccount(db, both, { ...body, by, bounds: await boundsOf(session) }),
      ),
    'POST /api/agency/subaccounts/:accountId/password': async ({ session, params, by }) => {
      const { accountId } = await bothOf(session, params)
      const link = await makeHolderLink({ db, publicUrl: givenPublicUrl(ctx.config) }, session, { accountId, by })
      ctx.hint(accountId, 'team')
      return link
    },
    'POST /api/agency/subaccounts/:accountId/grants': async ({ session, params, body, by }) => {
      const moved = await grant(db, session, { ...params, ...body, by })
      ctx.hint(moved.accountId, 'account')
      return { movementId: moved.entryId, amount: creditsOf(moved.amount), balance: creditsOf(moved.balanceAfter) }
    },
    'POST /api/agency/subaccounts/:accountId/reversals': async ({ session, params, body, by }) => {
      const both = await bothOf(session, params)
      const request = { entry: body.movementId, description: given(body.description), actor: session.userId, by }
      const reversed = await takeBack(db, subaccountOf(both), request)
      ctx.hint(both.accountId, 'account')
      return { movementId: reversed.entryId, amount: reversed.amount, balance: reversed.balance }
    },
    'PUT /api/agency/subaccounts/:accountId/recharge': ({ session, params, body, by }) =>
      change(session, params, (both) =>
        changeRecharge(db, subaccountOf(both), { threshold: body.threshold, amount: body.amount, by }),
      ),
    'PUT /api/agency/subaccounts/:accountId/campaigns/:campaignId': ({ session, params, body, by }) =>
      change(session, params, (both) =>
        setPrice(db, both, { campaignId: params.campaignId, creditsPerReply: body.creditsPerReply, by }),
      ),
    'PUT /api/agency/subaccounts/:accountId/channels/:channelId': ({ session, params, body, by }) =>
      change(session, params, (both) =>
        setMessagePrice(db, both, { channelId: params.channelId, creditsPerMessage: body.creditsPerMessage, by }),
      ),
    'GET /api/agency/subaccounts/:accountId/history': async ({ session, params, query }) =>
      agencyHistory(db, await bothOf(session, params), query),
    'GET /api/agency/subaccounts/:accountId/history/csv': async ({ session, params, http, reply }) =>
      sendCsv({ http, reply, fileName: 'credits.csv' }, historyCsv(db, await bothOf(session, params))),
  }
}

type SubaccountRef = { agencyId: AccountId; accountId: AccountId }
type Params = { accountId: string }

function openChanges({ db, config, hint }: Ctx) {
  const boundsOf = ({ accountId }: Session) => rateBounds(db, accountId, config.rateLimitPerMinute)
  const show = async (session: Session, accountId: string) =>
    showSubaccount(db, await requireSubaccount(db, session.accountId, accountId), await boundsOf(session))

  async function bothOf(session: Session, params: Params): Promise<SubaccountRef> {
    const { id } = await requireSubaccount(db, session.accountId, params.accountId)
    return { agencyId: session.accountId, accountId: id }
  }

  async function change(session: Session, params: Params, work: (both: SubaccountRef) => Promise<void>) {
    const both = await bothOf(session, params)
    await work(both)
    for (const topic of ['account', 'campaigns', 'channels'] as const) hint(both.accountId, topic)
    return show(session, both.accountId)
  }

  return { bothOf, show, change, boundsOf }
}

const subaccountOf = ({ agencyId, accountId: id }: SubaccountRef) => ({ id, kind: 'subaccount' as const, agencyId })

type GrantInput = Static<typeof GrantOrder> & { accountId: string; by: By }

/** The key is the agency's, as those of its API calls are; its prefix keeps the two apart. */
async function grant(db: Db, { accountId: agencyId, userId }: Session, { by, ...order }: GrantInput) {
  const { accountId, amount, description, idempotencyKey } = order
  return db.transaction().execute(async (tx) => {
    const { email } = await requireSubaccount(tx, agencyId, accountId)
    const bodyHash = hash('sha256', JSON.stringify([accountId, amount, description ?? null]), 'buffer')
    const key = { endpoint: 'credits', key: `app:${idempotencyKey}`, bodyHash }
    const agency = { id: agencyId, kind: 'agency' as const }
    const request = { agency, email, amount, description: given(description), actor: userId, idempotencyKey: key }
    return grantCredits(tx, request, by)
  })
}

/**
 * Makes a link with which the holder of a sub-account sets a new password: they have nobody else to ask when they are the
 * only owner. Both sides see in their audit that it was made and used, and the owners of the sub-account are told.
 */
async function makeHolderLink(
  { db, publicUrl }: LinkCtx,
  session: Session,
  { accountId, by }: { accountId: AccountId; by: By },
): Promise<Sendable<NewLink>> {
  const accounts = { agencyId: session.accountId, accountId }
  return db.transaction().execute(async (tx) => {
    await lockAsMaker(tx, session) // the agency before its sub-account, so that no two wait for each other
    const holder = (await lockMembers(tx, accountId)).find(({ isHolder }) => isHolder)
    if (!holder) throw new Refusal('NOT_FOUND', 'This sub-account has no owner.')
    await noteBoth(tx, accounts, { act: 'password link made', ...by, details: { name: holder.name } })
    await noteAgencyLink(tx, accountId, 'made')
    return writePasswordLink(tx, publicUrl, { accountId, userId: holder.id, madeBy: session.userId })
  })
}
