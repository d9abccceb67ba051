import type { ChatSettings } from '@patchbay/contract/chat/protocol.ts'
import type { PageChat } from '../../../channels/data/chat-of.ts'
import type { ChatValues } from '../form/values.ts'
import { isColour } from '../look/contrast.ts'
import { openingsOf } from './openings.ts'

type Around = { scheme: 'light' | 'dark'; hasBot: boolean; now: number }

/** What the chat is told of its settings, as they are typed. A colour that is not whole yet is as it was. */
export function chatAsSet(channel: PageChat, values: ChatValues, { scheme, hasBot, now }: Around): ChatSettings {
  const { name, colour, corner, keeps, pages, takesFiles, tellsPage, asksEmail, members, deletes, languages, words } =
    values
  return {
    ...{
      id: channel.id,
      origin: location.origin,
      name,
      scheme,
      corner,
      keeps,
      pages,
      takesFiles,
      tellsPage,
      asksEmail,
    },
    ...{ members, deletes, languages, words },
    colour: isColour(colour) ? colour : channel.chat.settings.colour,
    isPaused: false,
    hours: values.hours && openingsOf({ ...values.hours, zone: values.zone }, now),
    hasBot,
    panels: {},
  }
}
