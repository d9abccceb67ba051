import type { ChatCaps } from '@patchbay/contract/chat/settings.ts'
import { useId } from 'react'
import type { PageChat } from '../../../channels/data/chat-of.ts'
import { ErrorLine } from '../../../ui/field.tsx'
import type { ChatForm } from '../form/use-chat-form.ts'
import { chatWords as words } from '../words.ts'

const caps = [
  'contactsAMinute',
  'contactsADay',
  'messagesAMinute',
  'messagesADay',
  'fileBytesADay',
  'modelAnswersADay',
] as const satisfies readonly (keyof ChatCaps)[]

/** What a day and a minute may cost, and what this day has. */
export function Caps({ channel, form }: { channel: PageChat; form: ChatForm }) {
  const { contacts, messages, fileBytes, modelAnswers } = channel.chat.today
  const used: Partial<Record<keyof ChatCaps, string>> = {
    contactsADay: contacts.toLocaleString(),
    messagesADay: messages.toLocaleString(),
    fileBytesADay: words.megabytes(fileBytes),
    modelAnswersADay: modelAnswers.toLocaleString(),
  }
  return (
    <div className="chat-set-caps">
      {caps.map((cap) => (
        <Cap form={form} cap={cap} used={used[cap]} key={cap} />
      ))}
    </div>
  )
}

function Cap({ form, cap, used }: { form: ChatForm; cap: keyof ChatCaps; used: string | undefined }) {
  const id = useId()
  const { error, ...field } = form.field(cap)
  return (
    <div className="chat-set-cap">
      <label htmlFor={id}>{words.caps[cap]}</label>
      <span className="small faint">{used !== undefined && words.usedToday(used)}</span>
      <input
        {...field}
        id={id}
        className="input num"
        inputMode="numeric"
        autoComplete="off"
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-about` : undefined}
      />
      <ErrorLine id={`${id}-about`} error={error} />
    </div>
  )
}
