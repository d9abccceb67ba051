import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import type { ShownEntry } from '@patchbay/contract/app/knowledge.ts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, call } from '../../data/api.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Failed } from '../../ui/failed.tsx'
import { showToast } from '../../ui/toast.ts'
import { Conflict, differences } from '../conflict.tsx'
import { changeAndTell, refreshKnowledge } from '../taught.ts'
import { campaignWords, entryWords as words } from '../words.ts'
import { checkDraft, type Draft, EntryForm } from './entry-form.tsx'

type Props = { campaign: ShownCampaign; entry: ShownEntry; onDone: () => void }

/** Edits an entry. What somebody else saves meanwhile does not change what is typed here; saving then asks. */
export function EditEntry({ campaign, entry, onDone }: Props) {
  const [base, setBase] = useState(entry)
  const [draft, setDraft] = useState<Draft>(entry)
  const [isChecked, setChecked] = useState(false)
  const checked = checkDraft(draft)
  const params = { campaignId: campaign.id, entryId: entry.id }
  const save = useMutation({
    mutationFn: (version: string) =>
      changeAndTell(campaign.id, () =>
        call('PUT /api/campaigns/:campaignId/entries/:entryId', {
          params,
          body: { ...bodyOf(checked.entry), version },
        }),
      ),
    onSuccess: (saved) => {
      setBase(saved)
      setDraft(saved)
    },
    onSettled: refreshKnowledge,
  })
  const isConflict = save.error instanceof ApiError && save.error.status === 409 && entry.version !== base.version
  return (
    <EntryForm
      campaignId={campaign.id}
      entryId={entry.id}
      draft={draft}
      missing={isChecked ? checked.missing : {}}
      onChange={setDraft}
      onSubmit={() => {
        setChecked(true)
        if (checked.isComplete && !save.isPending) save.mutate(base.version)
      }}
    >
      {isConflict ? (
        <Conflict
          changes={differences(base, entry, words.fields)}
          onTheirs={() => {
            setBase(entry)
            setDraft(entry)
            save.reset()
          }}
          onMine={() => save.mutate(entry.version)}
        />
      ) : (
        <Failed error={save.error} />
      )}
      <div className="row wrap">
        <Button look="primary" size="sm" type="submit" busy={save.isPending && campaignWords.saving}>
          {words.save}
        </Button>
        <Delete params={params} version={base.version} onDone={onDone} />
      </div>
    </EntryForm>
  )
}

const bodyOf = ({ questions, answer, handsOver, isOn }: Draft) => ({ questions, answer, handsOver, isOn })

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
