import type { ChannelChange } from '@patchbay/contract/app/channels.ts'
import type { ChatCaps, ChatHours, WebchatSettings } from '@patchbay/contract/chat/settings.ts'
import type { PageChat } from '../../../channels/data/chat-of.ts'

/** What is typed: limits as texts, files in megabytes, the zone of the hours beside them. */
export type ChatValues = { name: string; zone: string; hours: Week | null } & Omit<WebchatSettings, 'caps' | 'hours'> &
  Record<keyof ChatCaps, string>

type Week = Omit<ChatHours, 'zone'>

/** What a megabyte is, of files. */
const megabyte = 1_000_000

export function valuesOf({ name, chat }: Pick<PageChat, 'name' | 'chat'>): ChatValues {
  const { caps, hours, ...settings } = chat.settings
  const { fileBytesADay, ...counts } = caps
  const texts = Object.entries(counts).map(([cap, count]) => [cap, String(count)])
  return {
    name,
    ...settings,
    zone: hours?.zone ?? '',
    hours: hours && { windows: hours.windows, closed: hours.closed },
    ...(Object.fromEntries(texts) as Record<keyof typeof counts, string>),
    fileBytesADay: String(fileBytesADay / megabyte),
  }
}

/** What was changed, as it is sent: limits go together, and so do hours and their zone. */
export function changeOf(
  { name, zone, ...changes }: Partial<ChatValues>,
  { caps, hours: kept }: WebchatSettings,
): Omit<ChannelChange, 'version'> {
  const isCap = (key: string) => key in caps
  const changed = Object.entries(changes)
  const counts = changed.flatMap(([key, text]) =>
    isCap(key) ? [[key, Math.round(Number(text) * (key === 'fileBytesADay' ? megabyte : 1))]] : [],
  )
  const week = changes.hours === undefined ? kept : changes.hours
  const settings = {
    ...Object.fromEntries(changed.filter(([key]) => !isCap(key))),
    ...((changes.hours !== undefined || zone !== undefined) && {
      hours: week && { windows: week.windows, closed: week.closed, zone: (zone ?? kept?.zone ?? '').trim() },
    }),
    ...(counts.length > 0 && { caps: { ...caps, ...Object.fromEntries(counts) } }),
  }
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(Object.keys(settings).length > 0 && { settings }),
  }
}
