import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'

/** A channel that is a chat on a page. */
export type PageChat = ChannelInUse & { chat: NonNullable<ChannelInUse['chat']> }

export function isPageChat(channel: ChannelInUse): channel is PageChat {
  return channel.chat !== null
}
