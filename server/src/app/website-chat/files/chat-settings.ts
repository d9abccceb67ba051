import type { ChatSettings } from '@patchbay/contract/chat/protocol.ts'
import type { WebchatSettings } from '@patchbay/contract/chat/settings.ts'
import { openingsAhead } from '../../../journey/channels/kinds/webchat/hours.ts'
import type { ChannelRow } from '../../../journey/channels/store.ts'

type Given = {
  row: Pick<ChannelRow, 'id' | 'name' | 'pausedAt'>
  settings: WebchatSettings
  hasBot: boolean
  panels: ChatSettings['panels']
  now: number
}

const halfHourMs = 1_800_000

/** What everybody may know who opens a page of the shop: nothing of its limits, its campaign or its secret. */
export function chatSettings({ row, settings, hasBot, panels, now }: Given): ChatSettings {
  const { colour, scheme, corner, keeps, pages, takesFiles, tellsPage, asksEmail, members, deletes, languages } =
    settings
  const offered = <Value>(values: Partial<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(values).filter(([language]) => languages.some((one) => one === language)))
  return {
    ...{ id: row.id, origin: '', name: row.name, isPaused: row.pausedAt !== null, hasBot },
    ...{ colour, scheme, corner, keeps, pages, takesFiles, tellsPage, asksEmail, members, deletes, languages },
    words: offered(settings.words),
    panels: offered(panels),
    // By half hours, so that it is the same file for as long.
    hours: openingsAhead(settings.hours, Math.floor(now / halfHourMs) * halfHourMs),
  }
}
