import { CampaignFile, CampaignSettings } from '@patchbay/contract/campaigns.ts'
import { unitsOf } from '../../business/credits/amount.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { describeViolation, violationsOf } from '../../platform/http/describe-violation.ts'
import { type AccountId, isId, newId, sayUnknown } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { type CampaignRow, findCampaignOf, insertCampaign } from './store.ts'

const defaults = Object.fromEntries(
  Object.entries(CampaignSettings.properties).map(([field, schema]) => [field, Object(schema).default]),
) as CampaignSettings // every field of it has a default

/** The effective settings of a campaign: those that were given, and for all others the defaults. */
export function allSettings(given: Partial<CampaignSettings>): CampaignSettings {
  return { ...defaults, ...given }
}

/** The content of a file, and which of its fields we do not know. */
export type ReadFile = { campaign: CampaignFile; settings: Partial<CampaignSettings>; ignored: string[] }

/** Refuses an invalid file and names the field. */
export function readCampaignFile(file: unknown): ReadFile {
  const violations = violationsOf(CampaignFile, file)
  if (violations.length > 0) throw new Refusal('INVALID_REQUEST', describeViolation(violations, 'file').message)
  const campaign = file as CampaignFile // there were no violations
  const isSetting = (field: string) => field in CampaignSettings.properties
  const settings: Partial<CampaignSettings> = Object.fromEntries(
    Object.entries(campaign).filter(([field]) => isSetting(field)),
  )
  return { campaign, settings, ignored: Object.keys(campaign).filter((field) => !(field in CampaignFile.properties)) }
}

/** The rules that the schema cannot express. */
export function checkSettings(settings: CampaignSettings): void {
  if (settings.offerThreshold > settings.answerThreshold) {
    throw new Refusal('INVALID_REQUEST', 'offerThreshold must not be more than answerThreshold.')
  }
  if (unitsOf(settings.creditsPerReply) === undefined) {
    throw new Refusal('INVALID_REQUEST', 'creditsPerReply must have at most 4 decimals.')
  }
}

/** Refuses an id that is none of the account's campaigns. */
export async function requireCampaign(db: Db, accountId: AccountId, campaignId: string): Promise<CampaignRow> {
  const row = isId('cmp', campaignId) ? await findCampaignOf(db, accountId, campaignId) : undefined
  if (!row) throw new Refusal('NOT_FOUND', sayUnknown('campaign', 'cmp', campaignId))
  return row
}

/** Is part of creating an account, so that its first message is answered. */
export async function makeDefaultCampaign(tx: Tx, accountId: AccountId): Promise<void> {
  const own = { accountId, id: newId('cmp'), name: 'Default', status: 'live' as const, isDefault: true, version: 1 }
  await insertCampaign(tx, { ...own, settings: texts, connectionId: null, trouble: null })
}

const texts = {
  greetingText: 'Hello! How can I help you?',
  thanksText: 'You are welcome!',
  // It promises nothing: whoever asks once may never be looked at. The miss that calls a person says `handoverText`.
  fallbackText:
    'I do not have an answer to that yet. Could you put it another way? To talk to a person, write "person".',
  handoverText: 'Thank you. A person will answer you here as soon as possible.',
}
