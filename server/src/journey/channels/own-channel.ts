import type { ChannelChange, NewChannel } from '@patchbay/contract/app/channels.ts'
import { requireCampaign } from '../../answers/campaigns/settings.ts'
import type { Db } from '../../platform/database/db.ts'
import { describeViolation, violationsOf } from '../../platform/http/describe-violation.ts'
import { type AccountId, isId, sayUnknown } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { OwnKind } from './kinds/kind.ts'
import { type ChannelRow, findChannel } from './store.ts'

/** What an owner sets of a channel of our own. Refuses what has not the shape of its kind, whoever gives it, and names the field. */
export function readOwnSettings(kind: OwnKind, given: object, before: unknown): unknown {
  const violations = violationsOf(kind.settings, given)
  if (violations.length === 0) return kind.readSettings(given, before)
  throw new Refusal('INVALID_REQUEST', `settings: ${describeViolation(violations, 'body').message}`)
}

/** Refuses a campaign that is none of the account's. */
export async function checkCampaign(
  db: Db,
  accountId: AccountId,
  { settings }: Pick<NewChannel, 'settings'>,
): Promise<void> {
  if (settings?.campaignId) await requireCampaign(db, accountId, settings.campaignId)
}

/** A channel of our own has nothing that its provider would want. */
export function refuseCredentials(given: Pick<NewChannel, 'credentials'> & Partial<ChannelChange>): void {
  for (const field of ['credentials', 'receivesBy', 'whenInDoubt', 'perSecond'] as const) {
    if (given[field] === undefined) continue
    throw new Refusal('INVALID_REQUEST', `${field} is of channels that have a provider; leave it out for this one.`)
  }
}

/** One that was removed, to be there again. Refuses an id that is no such channel's. */
export async function requireRemoved(
  db: Db,
  accountId: AccountId,
  { kind, again: id = '' }: Pick<NewChannel, 'kind' | 'again'>,
): Promise<ChannelRow> {
  const row = isId('chn', id) ? await findChannel(db, { accountId, id }) : undefined
  if (row?.kind === kind && row.state === 'removed') return row
  if (row?.kind === kind) throw new Refusal('CONFLICT', `${row.name} is there: it was not removed, or is again.`)
  throw new Refusal('NOT_FOUND', sayUnknown('channel', 'chn', id))
}

/** A channel that has a provider is set up there. */
export function refuseSettings({ settings, again }: Pick<NewChannel, 'settings' | 'again'>): void {
  if (again !== undefined) {
    throw new Refusal('INVALID_REQUEST', 'again is of a website chat; this channel is found by its credentials.')
  }
  if (settings === undefined) return
  throw new Refusal('INVALID_REQUEST', 'settings are of a website chat; leave them out for this channel.')
}
