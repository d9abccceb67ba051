import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import { allSettings } from '../../../answers/campaigns/settings.ts'
import { listCampaigns } from '../../../answers/campaigns/store.ts'
import type { Sendable } from '../../../business/sessions/handlers.ts'
import { type Campaign, routeToCampaign } from '../../../journey/bot/decide/route-to-campaign.ts'
import { type ConversationRef, noConversation } from '../../../journey/conversations/conversation-store.ts'
import { conversationOf } from '../../../journey/conversations/take-over.ts'
import { findChannels } from '../../../people/contacts/channel-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'
import { type Detail, findDetail, findRow } from './detail-store.ts'
import { showRow } from './list.ts'
import { showReplyWays } from './reply-ways.ts'
import type { Viewer } from './viewer-store.ts'

/** Changes a conversation, and shows it as it is then. */
export async function changeAndShow(
  db: Db,
  viewer: Viewer,
  params: { contactId: string },
  change: (ref: ConversationRef) => Promise<unknown>,
): Promise<Sendable<ConversationDetail>> {
  const ref = conversationOf(viewer.accountId, params.contactId)
  await change(ref)
  return showConversation(db, viewer, ref.contactId)
}

/** One conversation with its contact, and who answers it. */
export async function showConversation(
  db: Db,
  viewer: Viewer,
  contactId: ContactId,
): Promise<Sendable<ConversationDetail>> {
  const { accountId } = viewer
  const row = await findRow(db, viewer, contactId)
  const detail = row && (await findDetail(db, { accountId, contactId }))
  if (!row || !detail) throw noConversation({ contactId })
  const { channel, campaignId: _, personAt: __, ...shown } = detail
  const campaign = await findCampaign(db, accountId, detail)
  const channelOf = await findChannels(db, accountId, [channel, row.channel])
  return {
    ...shown,
    conversation: showRow(row, channelOf),
    campaign: campaign ? { id: campaign.id, name: campaign.name } : null,
    botResumesAt: campaign ? resumesAt(detail, campaign) : null,
    readSeq: Number(row.readSeq),
    replyBy: await showReplyWays(db, { accountId, contactId }),
  }
}

/** The campaign that would answer the next message, unless that message has a keyword of another one. */
async function findCampaign(
  db: Db,
  accountId: AccountId,
  { channel, campaignId }: Detail,
): Promise<Campaign | undefined> {
  const campaigns = await listCampaigns(db, accountId)
  const withSettings = campaigns.map((row) => ({ ...row, settings: allSettings(row.settings) }))
  return routeToCampaign(withSettings, { named: null, assigned: campaignId, channel, text: '' }).campaign
}

/** When the bot takes over again by itself, as `decide` will see it: only from a person who has written. */
function resumesAt({ botActive, contact, handler, handlerReason, personAt }: Detail, campaign: Campaign): Date | null {
  const { autoResumeMinutes } = campaign.settings
  if (!botActive || contact.optedOutAt !== null || handler !== 'person' || handlerReason !== 'typed') return null
  return personAt === null || autoResumeMinutes === null
    ? null
    : new Date(personAt.getTime() + autoResumeMinutes * 60_000)
}
