import type { ChatSettings } from '@patchbay/contract/chat/protocol.ts'
import type { PageChat } from '../../../channels/data/chat-of.ts'
import type { ChatValues } from '../form/values.ts'
import { isColour } from '../look/contrast.ts'

/** What the chat is told of its settings, as they are typed. A colour that is not whole yet is as it was. */
export function chatAsSet(channel: PageChat, values: ChatValues, scheme: 'light' | 'dark'): ChatSettings {
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
    hours: null,
    hasBot: true,
    panels: {},
  }
}
