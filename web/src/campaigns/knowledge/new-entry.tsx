import { useEffect } from 'react'
import { call } from '../../data/api.ts'
import { Button } from '../../ui/button.tsx'
import { Failed } from '../../ui/failed.tsx'
import { useForm } from '../../ui/use-form.ts'
import { changeAndTell, refreshKnowledge } from '../knowledge-changes.ts'
import { campaignWords, entryWords as words } from '../words.ts'
import { checkEntry, EntryForm, sentOf } from './entry-form.tsx'

type Props = { campaignId: string; question: string; onDone: () => void }

/** The form for a new entry, above the others. */
export function NewEntry({ campaignId, question, onDone }: Props) {
  const form = useForm({
    initial: { questions: [question], answer: '', handsOver: false, isOn: true },
    check: checkEntry,
    send: (draft) =>
      changeAndTell(campaignId, () =>
        call('POST /api/campaigns/:campaignId/entries', { params: { campaignId }, body: sentOf(draft) }),
      ),
    onSaved: () => {
      refreshKnowledge()
      onDone()
    },
  })
  const { ref: element } = form.form
  useEffect(() => {
    const first = question === '' ? 'input' : 'textarea'
    element.current?.querySelector<HTMLElement>(first)?.focus()
  }, [question, element])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the form from any of its fields
    <div className="entry open new-entry" onKeyDown={(event) => event.key === 'Escape' && onDone()}>
      <EntryForm campaignId={campaignId} form={form}>
        <Failed error={form.failure} />
        <div className="row">
          <Button look="primary" size="sm" type="submit" busy={form.isSending && campaignWords.saving}>
            {words.add}
          </Button>
          <Button look="quiet" size="sm" onClick={onDone}>
            {campaignWords.cancel}
          </Button>
        </div>
      </EntryForm>
    </div>
  )
}
