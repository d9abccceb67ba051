import type { PageChat } from '../../../channels/data/chat-of.ts'
import { refreshChannels } from '../../../channels/data/queries.ts'
import { call } from '../../../data/api.ts'
import { sayError } from '../../../ui/error-state.tsx'
import { showToast } from '../../../ui/toast.ts'
import { type FieldErrors, useForm } from '../../../ui/use-form.ts'
import { chatWords as words } from '../words.ts'
import { problemsOf } from './check-values.ts'
import { type ChatValues, changeOf, valuesOf } from './values.ts'

/**
 * The form of a chat's settings. What somebody else has saved meanwhile is not lost: the change is refused, and where it is kept all
 * the same, theirs stays where nothing was typed here.
 */
export function useChatForm(channel: PageChat) {
  return useForm({
    initial: valuesOf(channel),
    version: channel.version,
    check: problemsOf,
    send: async (_values, { changes, version }) => {
      const body = { version, ...changeOf(changes, channel.chat.settings) }
      try {
        return await call('PATCH /api/channels/:channelId', { params: { channelId: channel.id }, body })
      } catch (error) {
        await refreshChannels().catch(() => {}) // what somebody else has saved; the first error is the one to show
        throw error
      }
    },
    kept: ({ name, chat, version }) => ({ values: valuesOf({ name, chat: chat ?? channel.chat }), version }),
    onSaved: () => {
      showToast({ text: words.saved })
      return refreshChannels()
    },
    onlyChanges: true,
    place: placeOf,
  })
}

export type ChatForm = ReturnType<typeof useChatForm>

/** A refusal begins with the field that it is about. */
function placeOf(error: Error): FieldErrors<ChatValues> | undefined {
  const { title } = sayError(error)
  const [, field, rest = ''] = /^(?:settings\.)?(?:caps\.|hours\.(?=zone))?(\w+)(.*)$/s.exec(title) ?? []
  const known = placed.find((name) => name === field)
  const [, said = title] = /^[\w.]*: (.+)$/s.exec(rest) ?? []
  return known && { [known]: said.charAt(0).toUpperCase() + said.slice(1) }
}

/** The fields that say what is wrong with them. */
const placed = [
  'name',
  'pages',
  'colour',
  'languages',
  'words',
  'hours',
  'zone',
  'campaignId',
  'contactsAMinute',
  'contactsADay',
  'messagesAMinute',
  'messagesADay',
  'fileBytesADay',
  'modelAnswersADay',
] as const satisfies readonly (keyof ChatValues)[]
