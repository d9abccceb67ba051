import type { PageChat } from '../../channels/data/chat-of.ts'
import { Button } from '../../ui/button.tsx'
import { Conflict, differences } from '../../ui/conflict.tsx'
import { Failed } from '../../ui/failed.tsx'
import { fieldNames, sayValues } from './form/say-values.ts'
import type { ChatForm } from './form/use-chat-form.ts'
import { valuesOf } from './form/values.ts'
import { chatWords as words } from './words.ts'

/** The buttons that save, at the bottom of the form, once something was changed. */
export function SaveBar({ channel, form }: { channel: PageChat; form: ChatForm }) {
  if (!form.isChanged) return null
  const theirs = () => differences(sayValues(form.base.values), sayValues(valuesOf(channel)), fieldNames)
  return (
    <div className="chat-set-save">
      {form.conflict ? (
        <Conflict {...form.conflict} changes={theirs()} />
      ) : (
        <>
          <Failed error={form.failure} />
          <div className="row">
            <Button look="primary" type="submit" form={form.form.id} busy={form.isSending && words.saving}>
              {words.save}
            </Button>
            <Button look="quiet" onClick={() => form.reset()}>
              {words.discard}
            </Button>
          </div>
        </>
      )}
    </div>
  )
}
