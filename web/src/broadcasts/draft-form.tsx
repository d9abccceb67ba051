import type { ShownList } from '@patchbay/contract/app/lists.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef } from 'react'
import { read } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { Failed } from '../ui/failed.tsx'
import { Field, SelectField, TextField } from '../ui/field.tsx'
import { Kbd } from '../ui/kbd.tsx'
import type { useForm } from '../ui/use-form.ts'
import type { Texts } from './draft.ts'
import { IdField } from './id-field.tsx'
import { broadcastWords as words } from './words.ts'

type Form = ReturnType<typeof useForm<Texts, unknown>>
type Props = {
  form: Pick<Form, 'form' | 'field' | 'values' | 'failure' | 'isSending'>
  lists: readonly ShownList[]
  onDone: () => void
}

/** The form of a broadcast: to whom, over which channel, what; then who answers what comes back, and how fast. */
export function DraftForm({ form, lists, onDone }: Props) {
  const { ref: element } = form.form
  const { field } = form
  const { listId } = form.values
  useEffect(
    () => element.current?.querySelector<HTMLElement>(listId === '' ? 'select' : 'input')?.focus(),
    [listId, element],
  )
  return (
    <form
      {...form.form}
      className="card card-body broadcast-form"
      aria-label={words.form}
      onKeyDown={(event) => event.key === 'Escape' && onDone()}
    >
      <SelectField label={words.list} {...field('listId')}>
        <option value="">{words.chooseList}</option>
        {lists.map(({ id, name, contacts }) => (
          <option key={id} value={id}>
            {words.listOption(name, contacts)}
          </option>
        ))}
      </SelectField>
      <ChannelField {...field('channel')} />
      <IdField listId={listId} {...field('idFrom')} />
      <div className="broadcast-form-whole">
        <TextField
          label={words.body}
          hint={words.bodyHint}
          rows={4}
          dir="auto"
          maxLength={limits.bodyBytes}
          {...field('body')}
        />
      </div>
      <CampaignField {...field('campaignId')} />
      <Field label={words.rate} mono inputMode="numeric" maxLength={4} {...field('rate')} />
      <div className="broadcast-form-whole">
        <Field label={words.name} hint={words.nameHint} maxLength={limits.nameCharacters} {...field('name')} />
      </div>
      <div className="broadcast-form-whole stack stack-3">
        <Failed error={form.failure} />
        <div className="row wrap">
          <Button type="submit" look="primary" busy={form.isSending && words.looking}>
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

type Choice = ReturnType<Form['field']>

/** The field for the channel. Those that were used before are offered; a new one may be typed. */
function ChannelField(field: Choice) {
  const { value, onChange } = field
  const id = useId()
  const { data } = useQuery(read('GET /api/conversation-filters'))
  const custom = data?.channels.filter(({ kind }) => kind === null) ?? []
  const only = custom.length === 1 ? custom[0]?.label : undefined
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
        {...field}
      />
      <datalist id={id}>
        {custom.map(({ label }) => (
          <option key={label} value={label} />
        ))}
      </datalist>
    </div>
  )
}

function CampaignField(field: Choice) {
  const { data } = useQuery(read('GET /api/campaigns'))
  const campaigns = data?.campaigns.filter(({ status }) => status !== 'archived') ?? []
  return (
    <SelectField label={words.campaign} {...field}>
      <option value="">{words.anyCampaign}</option>
      {campaigns.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
