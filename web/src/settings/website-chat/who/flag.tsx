import { Switch } from '../../../ui/switch.tsx'
import type { ChatForm } from '../form/use-chat-form.ts'
import { chatWords as words } from '../words.ts'

type Name = 'asksEmail' | 'tellsPage' | 'takesFiles' | 'showsNames'

/** A switch of the form: it is saved with the rest. */
export function Flag({ form, name }: { form: ChatForm; name: Name }) {
  return (
    <Switch on={form.values[name]} onChange={(on) => form.set({ [name]: on })}>
      {words[name]}
    </Switch>
  )
}
