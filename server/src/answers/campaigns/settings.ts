import { CampaignFile, CampaignSettings } from '@patchbay/contract/campaigns.ts'
import { unitsOf } from '../../business/credits/amount.ts'
import { describeViolation } from '../../platform/http/describe-violation.ts'
import { violationsOf } from '../../platform/http/violations-of.ts'
import { Refusal } from '../../platform/refusal.ts'

const defaults = Object.fromEntries(
  Object.entries(CampaignSettings.properties).map(([field, schema]) => [field, Object(schema).default]),
) as CampaignSettings // every field of it has a default

/** The effective settings of a campaign: those that were given, and for all others the defaults. */
export function allSettings(given: Partial<CampaignSettings>): CampaignSettings {
  return { ...defaults, ...given }
}

/** The content of a file, and which of its fields we do not know. */
export type ReadFile = {
  campaign: CampaignFile
  settings: Partial<CampaignSettings>
  ignored: string[]
}

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
