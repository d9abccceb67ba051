import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { allSettings } from '../../../answers/campaigns/settings.ts'
import { listCampaigns } from '../../../answers/campaigns/store.ts'
import type { Sendable } from '../../../business/sessions/handlers.ts'
import { type Campaign, routeToCampaign } from '../../../journey/bot/decide/route-to-campaign.ts'
import type { Kind } from '../../../journey/channels/kinds/kind.ts'
import { loadKind } from '../../../journey/channels/load-kind.ts'
import { type ConversationRef, noConversation } from '../../../journey/conversations/conversation-store.ts'
import { conversationOf } from '../../../journey/conversations/take-over.ts'
import { findChannels, type ShownChannel } from '../../../people/contacts/channel-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'
import { type Detail, findDetail, findRow } from './detail-store.ts'
import { showRow } from './list.ts'
import { type ReplyWayRow, readReplyWays } from './reply-way-store.ts'
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
  const ways = await readReplyWays(db, { accountId, contactId })
  const labels = [channel, row.channel, ...ways.map(({ label }) => label)]
  const channelOf = await findChannels(db, accountId, labels)
  return {
    ...shown,
    conversation: showRow(row, channelOf),
    campaign: campaign ? { id: campaign.id, name: campaign.name } : null,
    botResumesAt: campaign ? resumesAt(detail, campaign) : null,
    readSeq: Number(row.readSeq),
    replyBy: await showReplyBy(ways, channelOf),
  }
}

/** Those that can be used first. */
async function showReplyBy(
  ways: ReplyWayRow[],
  channelOf: (label: string) => ShownChannel,
): Promise<Sendable<ConversationDetail>['replyBy']> {
  const shown = await Promise.all(ways.map((way) => showWay(way, channelOf(way.label))))
  const usual = ways.find(({ isUsual }) => isUsual)
  return { usual: usual?.channelId ?? null, ways: shown.sort((one, other) => rankOf(one) - rankOf(other)) }
}

async function showWay(row: ReplyWayRow, channel: ShownChannel): Promise<Sendable<ReplyWay>> {
  const { label: _, isUsual: __, seenAt, leftEmail, leftEmailAt, closedAt, ...way } = row
  if (channel.kind === null) return { ...way, channel, fileBytes: null, visitor: null }
  const kind = await loadKind(channel.kind)
  const shown = { ...way, channel, fileBytes: fileBytesOf(kind) }
  if (kind.leaves === 'by a request') return { ...shown, visitor: null }
  const left = leftEmail === null || leftEmailAt === null ? null : { address: leftEmail, at: leftEmailAt }
  return {
    ...shown,
    // What leaves when it is stored never waits: a channel that is paused takes nothing.
    whyNot: way.whyNot ?? (way.waits === 'paused' ? 'channel_paused' : null),
    waits: null,
    visitor: way.address === null ? null : { seenAt, leftEmail: left, closedAt },
  }
}

/** Of what a kind takes, and we keep. */
function fileBytesOf({ limits: { fileBytes } }: Kind): { picture: number; other: number } {
  return { picture: Math.min(fileBytes.image, limits.mediaBytes), other: Math.min(fileBytes.other, limits.mediaBytes) }
}

function rankOf({ whyNot }: Pick<ReplyWayRow, 'whyNot'>): number {
  return whyNot === null ? 0 : 1
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
