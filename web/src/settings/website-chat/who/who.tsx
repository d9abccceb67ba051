import type { PageChat } from '../../../channels/data/chat-of.ts'
import { Choices } from '../../../ui/choices.tsx'
import type { ChatForm } from '../form/use-chat-form.ts'
import { chatWords as words } from '../words.ts'

type Of<Name extends 'keeps' | 'deletes' | 'members'> = PageChat['chat']['settings'][Name]

/** Who a visitor is, for how long, and what becomes of their chat. */
export function Who({ form }: { form: ChatForm }) {
  const { keeps, deletes, members } = form.values
  return (
    <>
      <Choices
        legend={words.keeps}
        name="keeps"
        value={keeps}
        onChoose={(chosen) => form.set({ keeps: chosen })}
        choices={choicesOf<Of<'keeps'>>(words.keepsChoices)}
      />
      <Choices
        legend={words.deletes}
        name="deletes"
        value={deletes}
        onChoose={(chosen) => form.set({ deletes: chosen })}
        choices={choicesOf<Of<'deletes'>>(words.deletesChoices)}
      />
      <Choices
        legend={words.members}
        name="members"
        value={members}
        onChoose={(chosen) => form.set({ members: chosen })}
        choices={choicesOf<Of<'members'>>(words.membersChoices)}
      />
    </>
  )
}

function choicesOf<Value extends string>(said: Record<Value, readonly [title: string, says: string]>) {
  return (Object.entries(said) as [Value, readonly [string, string]][]).map(([value, [title, says]]) => ({
    value,
    title,
    says,
  }))
}
