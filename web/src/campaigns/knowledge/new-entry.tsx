import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../data/api.ts'
import { Button } from '../../ui/button.tsx'
import { Failed } from '../../ui/failed.tsx'
import { changeAndTell, refreshKnowledge } from '../taught.ts'
import { campaignWords, entryWords as words } from '../words.ts'
import { checkDraft, type Draft, EntryForm } from './entry-form.tsx'

type Props = { campaignId: string; question: string; onDone: () => void }

/** The form for a new entry, above the others. */
export function NewEntry({ campaignId, question, onDone }: Props) {
  const [draft, setDraft] = useState<Draft>({ questions: [question], answer: '', handsOver: false, isOn: true })
  const [isChecked, setChecked] = useState(false)
  const form = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const first = question === '' ? 'input' : 'textarea'
    form.current?.querySelector<HTMLElement>(first)?.focus()
  }, [question])
  const { entry, missing, isComplete } = checkDraft(draft)
  const add = useMutation({
    mutationFn: () =>
      changeAndTell(campaignId, () =>
        call('POST /api/campaigns/:campaignId/entries', { params: { campaignId }, body: entry }),
      ),
    onSuccess: () => {
      refreshKnowledge()
      onDone()
    },
  })
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the form from any of its fields
    <div className="entry open new-entry" ref={form} onKeyDown={(event) => event.key === 'Escape' && onDone()}>
      <EntryForm
        campaignId={campaignId}
        draft={draft}
        missing={isChecked ? missing : {}}
        onChange={setDraft}
        onSubmit={() => {
          setChecked(true)
          if (isComplete && !add.isPending) add.mutate()
        }}
      >
        <Failed error={add.error} />
        <div className="row">
          <Button look="primary" size="sm" type="submit" busy={add.isPending && campaignWords.saving}>
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
