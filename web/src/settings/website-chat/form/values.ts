import type { ChannelChange } from '@patchbay/contract/app/channels.ts'
import type { ChatCaps, WebchatSettings } from '@patchbay/contract/chat/settings.ts'
import type { PageChat } from '../../../channels/data/chat-of.ts'

/** What is typed: limits as texts, files in megabytes. */
export type ChatValues = { name: string } & Omit<WebchatSettings, 'caps'> & Record<keyof ChatCaps, string>

/** What a megabyte is, of files. */
const megabyte = 1_000_000

export function valuesOf({ name, chat }: Pick<PageChat, 'name' | 'chat'>): ChatValues {
  const { caps, ...settings } = chat.settings
  const { fileBytesADay, ...counts } = caps
  const texts = Object.entries(counts).map(([cap, count]) => [cap, String(count)])
  return {
    name,
    ...settings,
    ...(Object.fromEntries(texts) as Record<keyof typeof counts, string>),
    fileBytesADay: String(fileBytesADay / megabyte),
  }
}

/** What was changed, as it is sent: limits go together. */
export function changeOf({ name, ...changes }: Partial<ChatValues>, caps: ChatCaps): Omit<ChannelChange, 'version'> {
  const isCap = (key: string) => key in caps
  const changed = Object.entries(changes)
  const counts = changed.flatMap(([key, text]) =>
    isCap(key) ? [[key, Math.round(Number(text) * (key === 'fileBytesADay' ? megabyte : 1))]] : [],
  )
  const settings = {
    ...Object.fromEntries(changed.filter(([key]) => !isCap(key))),
    ...(counts.length > 0 && { caps: { ...caps, ...Object.fromEntries(counts) } }),
  }
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(changed.length > 0 && { settings }),
  }
}
