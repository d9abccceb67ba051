import { fillIn } from '../../answers/engines/common/fill-in.ts'
import type { Tx } from '../../platform/database/db.ts'
import { loadKind } from '../channels/load-kind.ts'
import type { Turn } from '../conversations/turn-store.ts'
import type { ReplyRoute } from '../messages/reply-route-store.ts'
import type { Conversation } from './decide/context-store.ts'
import type { Campaign } from './decide/route-to-campaign.ts'
import { isIntroductionDue } from './introduction-store.ts'

type Saying = {
  text: string
  /** The built-in channel by which it leaves; undefined: it goes to a custom one, whose platform says who speaks. */
  route: ReplyRoute | undefined
  campaign: Campaign | undefined
  conversation: Conversation
}

/**
 * What the bot says, after the sentence that says what it is where the contact may not know. Both are one message, so that nothing
 * comes between them, and whatever sends it again sends both.
 */
export async function introduce(
  tx: Tx,
  { accountId, contactId }: Turn,
  { text, route, campaign, conversation: { firstName } }: Saying,
): Promise<string> {
  const introduction = campaign?.settings.introduction ?? null
  if (!route || !campaign || introduction === null) return text
  const { showsWhoSpeaks: isOnce } = await loadKind(route.kind)
  if (!(await isIntroductionDue(tx, { accountId, contactId, channelId: route.channelId, isOnce }))) return text
  return `${fillIn(introduction, { firstName, settings: campaign.settings })}\n\n${text}`
}
