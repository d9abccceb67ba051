import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call } from '../../data/api.ts'
import { queryClient, read } from '../../data/queries.ts'
import { timeZoneWords as words } from '../../reports/words.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Field } from '../../ui/field.tsx'
import { Section } from '../../ui/section.tsx'
import { TimeZones, timeZones } from '../../ui/time-zones.tsx'

/** The zone in which the days of reports begin. */
export function TimeZoneSection({ timeZone, isOwner }: { timeZone: string; isOwner: boolean }) {
  const [zone, setZone] = useState(timeZone)
  const change = useMutation({
    mutationFn: (chosen: string) => call('PUT /api/account/time-zone', { body: { timeZone: chosen } }),
    onSuccess: (account) => {
      queryClient.setQueryData(read('GET /api/account').queryKey, account)
      setZone(account.timeZone)
      void queryClient.invalidateQueries({ queryKey: ['GET /api/reports'] })
    },
  })
  const isChanged = zone.trim() !== timeZone && zone.trim() !== ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isChanged) change.mutate(zone.trim())
  }
  return (
    <Section title={words.title} says={words.says}>
      <form className="stack stack-3 form-narrow" onSubmit={submit} noValidate>
        <Field
          label={words.label}
          hint={isOwner ? words.hint : words.ownerOnly}
          error={change.error ? sayError(change.error).title : undefined}
          list={timeZones}
          autoComplete="off"
          spellCheck={false}
          maxLength={64}
          value={zone}
          readOnly={!isOwner}
          onChange={(event) => {
            setZone(event.target.value)
            if (change.error) change.reset()
          }}
        />
        {isOwner && <TimeZones />}
        {isOwner && <Suggestion saved={timeZone} onUse={(own) => change.mutate(own)} />}
        {isOwner && (
          <div className="row wrap">
            <Button type="submit" disabled={!isChanged} busy={change.isPending && words.saving}>
              {words.save}
            </Button>
            {change.isSuccess && !isChanged && (
              <span className="muted" role="status">
                {words.saved}
              </span>
            )}
          </div>
        )}
      </form>
    </Section>
  )
}

/** Suggests the zone of the browser, where it is another one. */
function Suggestion({ saved, onUse }: { saved: string; onUse: (zone: string) => void }) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (own === saved) return null
  return (
    <p className="muted">
      {words.browser(own)}{' '}
      <button type="button" className="link" onClick={() => onUse(own)}>
        {words.use}
      </button>
    </p>
  )
}
