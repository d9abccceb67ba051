import type { ShownList } from '@patchbay/contract/app/lists.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useId, useRef } from 'react'
import { read } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { Failed } from '../ui/failed.tsx'
import { Field, SelectField, TextField } from '../ui/field.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { IdField } from './id-field.tsx'
import type { Draft, useDraft } from './use-draft.ts'
import { broadcastWords as words } from './words.ts'

type Props = {
  draft: ReturnType<typeof useDraft>
  lists: readonly ShownList[]
  look: { mutate: (draft: Draft) => void; isPending: boolean; error: unknown }
  onDone: () => void
}

/** To whom, over which channel, what; then who answers what comes back, and how fast. */
export function DraftForm({ draft, lists, look, onDone }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const { texts, errors, change } = draft
  useEffect(
    () => form.current?.querySelector<HTMLElement>(texts.listId === '' ? 'select' : 'input')?.focus(),
    [texts.listId],
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const fields = draft.read()
    draft.check()
    if (fields && !look.isPending) look.mutate(fields)
  }
  return (
    <form
      ref={form}
      className="card card-body broadcast-form"
      aria-label={words.form}
      noValidate
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && onDone()}
    >
      <SelectField label={words.list} value={texts.listId} error={errors.listId} onChange={change('listId')}>
        <option value="">{words.chooseList}</option>
        {lists.map(({ id, name, contacts }) => (
          <option key={id} value={id}>
            {words.listOption(name, contacts)}
          </option>
        ))}
      </SelectField>
      <ChannelField value={texts.channel} error={errors.channel} onChange={change('channel')} />
      <IdField listId={texts.listId} value={texts.idFrom} onChange={change('idFrom')} />
      <div className="whole">
        <TextField
          label={words.body}
          hint={words.bodyHint}
          rows={4}
          dir="auto"
          maxLength={limits.bodyBytes}
          value={texts.body}
          error={errors.body}
          onChange={change('body')}
        />
      </div>
      <CampaignField value={texts.campaignId} onChange={change('campaignId')} />
      <Field
        label={words.rate}
        mono
        inputMode="numeric"
        maxLength={4}
        value={texts.rate}
        error={errors.rate}
        onChange={change('rate')}
      />
      <div className="whole">
        <Field
          label={words.name}
          hint={words.nameHint}
          maxLength={limits.nameCharacters}
          value={texts.name}
          onChange={change('name')}
        />
      </div>
      <div className="whole stack stack-3">
        <Failed error={look.error} />
        <div className="row wrap">
          <Button type="submit" look="primary" busy={look.isPending && words.looking}>
            {words.look}
          </Button>
          <Button look="quiet" onClick={onDone}>
            {words.cancel}
            <Kbd press="Escape" className="only-wide" />
          </Button>
        </div>
      </div>
    </form>
  )
}

type Choice = { value: string; onChange: (event: { target: { value: string } }) => void }

/** Those that were used before are offered; a new one may be typed. */
function ChannelField({ value, error, onChange }: Choice & { error: string | undefined }) {
  const id = useId()
  const { data } = useQuery(read('GET /api/conversation-filters'))
  const only = data?.channels.length === 1 ? data.channels[0]?.label : undefined
  const isOffered = useRef(false)
  useEffect(() => {
    if (only === undefined || isOffered.current) return
    isOffered.current = true // once: who clears it wants another
    if (value === '') onChange({ target: { value: only } })
  }, [only, value, onChange])
  return (
    <div>
      <Field
        label={words.channel}
        hint={words.channelHint}
        list={id}
        autoComplete="off"
        maxLength={limits.nameCharacters}
        {...{ value, error, onChange }}
      />
      <datalist id={id}>
        {data?.channels.map(({ label }) => (
          <option key={label} value={label} />
        ))}
      </datalist>
    </div>
  )
}

function CampaignField({ value, onChange }: Choice) {
  const { data } = useQuery(read('GET /api/campaigns'))
  const campaigns = data?.campaigns.filter(({ status }) => status !== 'archived') ?? []
  return (
    <SelectField label={words.campaign} value={value} onChange={onChange}>
      <option value="">{words.anyCampaign}</option>
      {campaigns.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
