import type { ShownList } from '@patchbay/contract/app/lists.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { localTimeOf } from '@patchbay/contract/local-time.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { read } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { Failed } from '../ui/failed.tsx'
import { Field, SelectField, TextField } from '../ui/field.tsx'
import { Kbd } from '../ui/kbd.tsx'
import type { useForm } from '../ui/use-form.ts'
import { ByFields } from './by-field.tsx'
import { isBuiltIn, startOf, type Texts } from './draft.ts'
import { IdField } from './id-field.tsx'
import { ReachCard, useChannelReach } from './reach-card.tsx'
import { StartField } from './start-field.tsx'
import { broadcastWords as words } from './words.ts'

type Form = ReturnType<typeof useForm<Texts, unknown>>
type Props = {
  form: Pick<Form, 'form' | 'field' | 'values' | 'failure' | 'isSending' | 'set'>
  lists: readonly ShownList[]
  /** Of the account: by whose clock it is planned. */
  zone: string
  label: string
  onDone: () => void
}

/** The form of a broadcast: to whom, over which channel, what; then who answers what comes back, how fast, and when. */
export function DraftForm({ form, lists, zone, label, onDone }: Props) {
  const { ref: element } = form.form
  const { field, values } = form
  const { listId, by } = values
  const reach = useChannelReach(values)
  useEffect(
    () => element.current?.querySelector<HTMLElement>(listId === '' ? 'select' : 'input')?.focus(),
    [listId, element],
  )
  return (
    <div className="broadcast-new">
      <form
        {...form.form}
        className="card card-body broadcast-form"
        aria-label={label}
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
        <ByFields by={field('by')} channel={field('channel')} />
        {!isBuiltIn(by) && <IdField listId={listId} {...field('idFrom')} />}
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
        <Field
          label={words.rate}
          hint={reach && words.rateHint(reach.mostPerMinute)}
          mono
          inputMode="numeric"
          maxLength={4}
          {...field('rate')}
        />
        <div className="broadcast-form-whole">
          <Field label={words.name} hint={words.nameHint} maxLength={limits.nameCharacters} {...field('name')} />
        </div>
        <StartField
          start={values.start}
          zone={zone}
          moment={startOf(values, zone)}
          onStart={(start) => form.set({ start, date: values.date || tomorrowIn(zone) })}
          date={field('date')}
          time={field('time')}
        />
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
      {reach && <ReachCard reach={reach} rate={values.rate} />}
    </div>
  )
}

/** Nobody plans for a moment that is nearly over. */
const tomorrowIn = (zone: string) => localTimeOf(new Date(Date.now() + 86_400_000), zone).date

function CampaignField(field: ReturnType<Form['field']>) {
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
