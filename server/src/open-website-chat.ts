import { openWebsiteChat, type WebsiteChat, type WebsiteChatCtx } from './app/website-chat/website-chat.ts'
import { openFindById } from './journey/channels/find-by-id.ts'
import { openChannels } from './journey/channels/open-channels.ts'
import { openReceiveFromChannel } from './journey/intake/channel-messages/receive-from-channel.ts'
import type { FairShare } from './platform/database/fair-share.ts'
import type { Instruments } from './platform/metrics/instruments.ts'

type Ctx = Omit<WebsiteChatCtx, 'find' | 'channels' | 'receive'> &
  Readonly<{ share: FairShare; instruments: Pick<Instruments, 'incoming'> }>

/** What is needed to answer the visitors of website chats. */
export function openWebsiteChats(ctx: Ctx): WebsiteChat {
  const channels = openChannels(ctx)
  return openWebsiteChat({
    ...ctx,
    channels,
    find: openFindById(ctx.db, channels),
    receive: openReceiveFromChannel(ctx),
  })
}
