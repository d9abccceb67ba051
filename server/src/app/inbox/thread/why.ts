import type { Answer } from '@patchbay/contract/app/messages.ts'
import { allSettings } from '../../../answers/campaigns/settings.ts'
import { creditsOf } from '../../../business/credits/amount.ts'
import type { Sendable } from '../../../business/sessions/handlers.ts'
import type { Db } from '../../../platform/database/db.ts'
import { type AccountId, isId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { findWhy, type Why } from './why-store.ts'

/** What the bot decided about a message, and why: for one of its replies, or for an incoming message. */
export async function showAnswer(db: Db, accountId: AccountId, messageId: string): Promise<Sendable<Answer>> {
  const why = isId('msg', messageId) ? await findWhy(db, accountId, messageId) : undefined
  if (!why) throw new Refusal('NOT_FOUND', `The bot has decided nothing about a message ${messageId}.`)
  const { campaignId, campaignName, campaignVersion, settings: _, units, ...answer } = why
  return {
    ...answer,
    campaign:
      campaignId === null ? null : { id: campaignId, name: campaignName ?? campaignId, version: campaignVersion },
    thresholds: thresholdsOf(why),
    credits: units === null ? null : String(creditsOf(BigInt(units))),
  }
}

/** The thresholds of the campaign as it is now: they explain the scores of the built-in engine. */
function thresholdsOf({ engine, settings }: Why): Answer['thresholds'] {
  if (engine !== 'builtin' || settings === null) return null
  const { answerThreshold: answer, offerThreshold: offer, margin } = allSettings(settings)
  return { answer, offer, margin }
}
