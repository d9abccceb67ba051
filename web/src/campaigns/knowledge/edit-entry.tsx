import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import type { ShownEntry } from '@patchbay/contract/app/knowledge.ts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { Button } from '../../ui/button.tsx'
import { Conflict, differences } from '../../ui/conflict.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Failed } from '../../ui/failed.tsx'
import { showToast } from '../../ui/toast.ts'
import { useForm } from '../../ui/use-form.ts'
import { changeAndTell, refreshKnowledge } from '../knowledge-changes.ts'
import { campaignWords, entryWords as words } from '../words.ts'
import { checkEntry, type Draft, EntryForm, sentOf } from './entry-form.tsx'

type Props = { campaign: ShownCampaign; entry: ShownEntry; onDone: () => void }

/** Edits an entry. What somebody else saves meanwhile does not change what is typed here; saving then asks. */
export function EditEntry({ campaign, entry, onDone }: Props) {
  const params = { campaignId: campaign.id, entryId: entry.id }
  const form = useForm({
    initial: valuesOf(entry),
    version: entry.version,
    check: checkEntry,
    send: (draft, { version }) =>
      changeAndTell(campaign.id, () =>
        call('PUT /api/campaigns/:campaignId/entries/:entryId', { params, body: { ...sentOf(draft), version } }),
      ).finally(refreshKnowledge),
    kept: (saved) => ({ values: valuesOf(saved), version: saved.version }),
  })
  return (
    <EntryForm campaignId={campaign.id} entryId={entry.id} form={form}>
      {form.conflict ? (
        <Conflict {...form.conflict} changes={differences(form.base.values, entry, words.fields)} />
      ) : (
        <Failed error={form.failure} />
      )}
      <div className="row wrap">
        <Button look="primary" size="sm" type="submit" busy={form.isSending && campaignWords.saving}>
          {words.save}
        </Button>
        <Delete params={params} version={form.base.version} onDone={onDone} />
      </div>
    </EntryForm>
  )
}

const valuesOf = ({ questions, answer, handsOver, isOn }: ShownEntry): Draft => ({
  questions,
  answer,
  handsOver,
  isOn,
})

type DeleteProps = { params: { campaignId: string; entryId: string }; version: string; onDone: () => void }

function Delete({ params, version, onDone }: DeleteProps) {
  const [isAsking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/campaigns/:campaignId/entries/:entryId', { params, query: { version } }),
    onSuccess: () => {
      showToast({ text: words.deleted })
      onDone()
    },
    onSettled: refreshKnowledge,
  })
  if (!isAsking) {
    return (
      <Button look="quiet" size="sm" className="end" onClick={() => setAsking(true)}>
        {words.delete}
      </Button>
    )
  }
  return (
    <span className="row wrap end">
      <span className="small">{remove.error ? sayError(remove.error).title : words.deleteAsk}</span>
      <Button look="destroy" size="sm" busy={remove.isPending && words.deleting} onClick={() => remove.mutate()}>
        {words.deleteIt}
      </Button>
      <Button size="sm" onClick={() => setAsking(false)}>
        {words.keep}
      </Button>
    </span>
  )
}
