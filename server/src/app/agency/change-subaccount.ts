import { sayBuiltIn } from '@patchbay/contract/channels.ts'
import { allSettings, checkSettings } from '../../answers/campaigns/settings.ts'
import { lockCampaign, updateCampaign } from '../../answers/campaigns/store.ts'
import { setRateLimit } from '../../business/accounts/store.ts'
import { noteTaken, refuseAfterTaken } from '../../business/accounts/taken-store.ts'
import { noteBoth } from '../../business/audit/note-both.ts'
import type { By } from '../../business/audit/store.ts'
import { unitsOf } from '../../business/credits/amount.ts'
import { findShownAccount, renameAccount } from '../../business/sessions/user-store.ts'
import { lockChannel, writePrice } from '../../journey/channels/store.ts'
import type { Db } from '../../platform/database/db.ts'
import { hasSqlState } from '../../platform/database/errors.ts'
import { type AccountId, isId, sayUnknown } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { parseEmail } from '../../platform/text/email.ts'
import { setHolderEmail } from './store.ts'

type SubaccountRef = { agencyId: AccountId; accountId: AccountId }
type Change = { name?: string; email?: string; rateLimitPerMinute?: number | null }

/** Changes what is given, all of it or nothing. */
export async function changeSubaccount(
  db: Db,
  both: SubaccountRef,
  { by, bounds, name, email, rateLimitPerMinute }: Change & { by: By; bounds: RateBounds },
): Promise<void> {
  const { accountId } = both
  const login = email === undefined ? undefined : parseEmail(email)
  if (email !== undefined && login === undefined) {
    throw new Refusal('INVALID_EMAIL', 'email must be an e-mail address, such as ana@example.com.')
  }
  if (rateLimitPerMinute !== undefined && !isWithin(rateLimitPerMinute, bounds)) {
    throw new Refusal(
      'INVALID_REQUEST',
      `rateLimitPerMinute may be from 1 to ${bounds.most}: an agency gives at most the rate limit that it has itself.`,
    )
  }
  if (login !== undefined) await refuseAfterTaken(db, both.agencyId)
  const change = db.transaction().execute(async (tx) => {
    if (name !== undefined) await renameAccount(tx, accountId, name.trim())
    if (login !== undefined) await setHolderEmail(tx, accountId, login)
    if (rateLimitPerMinute !== undefined) await setRateLimit(tx, accountId, rateLimitPerMinute)
    const details = {
      ...(name !== undefined && { name: name.trim() }),
      ...(login !== undefined && { email: login }),
      ...(rateLimitPerMinute !== undefined && { rateLimitPerMinute: rateLimitPerMinute ?? 'default' }),
    }
    if (Object.keys(details).length > 0) await noteBoth(tx, both, { act: 'sub-account changed', ...by, details })
  })
  await change.catch(async (error) => {
    if (!hasSqlState(error, '23505')) throw error
    await noteTaken(db, both.agencyId)
    throw new Refusal('CONFLICT', 'Somebody signs in with this e-mail address already; use another one.')
  })
}

/** What an answer of a campaign costs the sub-account from now on. */
export async function setPrice(
  db: Db,
  both: SubaccountRef,
  { campaignId, creditsPerReply, by }: { campaignId: string; creditsPerReply: number; by: By },
): Promise<void> {
  const unknown = () => new Refusal('NOT_FOUND', sayUnknown('campaign', 'cmp', campaignId))
  if (!isId('cmp', campaignId)) throw unknown()
  await db.transaction().execute(async (tx) => {
    const before = await lockCampaign(tx, campaignId)
    if (before?.accountId !== both.accountId) throw unknown()
    const settings = { ...before.settings, creditsPerReply }
    checkSettings(allSettings(settings))
    await updateCampaign(tx, { ...before, settings })
    await noteBoth(tx, both, { act: 'sub-account changed', ...by, details: { campaignId, creditsPerReply } })
  })
}

/** What a message over a built-in channel costs the sub-account from now on, whoever writes it. */
export async function setMessagePrice(
  db: Db,
  both: SubaccountRef,
  { channelId, creditsPerMessage, by }: { channelId: string; creditsPerMessage: number; by: By },
): Promise<void> {
  const units = unitsOf(creditsPerMessage)
  if (units === undefined) throw new Refusal('INVALID_REQUEST', 'creditsPerMessage must have at most 4 decimals.')
  await db.transaction().execute(async (tx) => {
    const ref = isId('chn', channelId) ? { accountId: both.accountId, id: channelId } : undefined
    const before = ref && (await lockChannel(tx, ref))
    if (!before || before.state === 'removed') {
      throw new Refusal('NOT_FOUND', sayUnknown('channel', 'chn', channelId))
    }
    await writePrice(tx, before, units)
    const details = { channelId, channel: sayBuiltIn(before), creditsPerMessage }
    await noteBoth(tx, both, { act: 'sub-account changed', ...by, details })
  })
}

/** Requests a minute; 0: no limit. `usual` is the server's, which an account without one of its own has. */
export type RateBounds = { most: number; usual: number }

/** An agency gives at most what it has itself, so that the operator's limit holds for all of its sub-accounts. */
export async function rateBounds(db: Db, agencyId: AccountId, usual: number): Promise<RateBounds> {
  const { rateLimitPerMinute } = await findShownAccount(db, agencyId)
  return { most: rateLimitPerMinute ?? usual, usual }
}

/** What a new sub-account begins with: the usual limit (null), or the agency's own where that is less. */
export function firstRate(bounds: RateBounds): number | null {
  return isWithin(null, bounds) ? null : bounds.most
}

function isWithin(wanted: number | null, { most, usual }: RateBounds): boolean {
  const given = wanted ?? usual
  return most === 0 || (given !== 0 && given <= most)
}
