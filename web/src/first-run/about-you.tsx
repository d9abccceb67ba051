import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { call } from '../data/api.ts'
import { queryClient } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { Failed } from '../ui/failed.tsx'
import { Field } from '../ui/field.tsx'
import { TimeZones, timeZones } from '../ui/time-zones.tsx'
import { useForm } from '../ui/use-form.ts'
import { firstRunWords as words } from './words.ts'

/** Asks the owner for the names and the time zone, until they were given; they are in the settings too. */
export function AboutYou({ names }: { names: FirstRun['names'] }) {
  const line = useRef<HTMLParagraphElement>(null)
  const [isSaved, setSaved] = useState(false)
  const isGiven = names.business !== null && names.user !== null
  // The form is gone, and what had the focus with it.
  useEffect(() => {
    if (isSaved && isGiven && document.activeElement === document.body) line.current?.focus()
  }, [isSaved, isGiven])
  if (names.business !== null && names.user !== null) {
    return (
      <p className="small muted" tabIndex={-1} ref={line}>
        {words.youAre(names.user, names.business, names.timeZone)} <Link to="/settings/account">{words.changeYou}</Link>
      </p>
    )
  }
  return <Form names={names} onSaved={() => setSaved(true)} />
}

function Form({ names, onSaved }: { names: FirstRun['names']; onSaved: () => void }) {
  const form = useForm({
    initial: {
      business: names.business ?? '',
      user: names.user ?? '',
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
    check: ({ business, user, zone }) => ({
      business: business.trim() === '' && words.businessMissing,
      user: user.trim() === '' && words.yourNameMissing,
      zone: zone.trim() === '' && words.timeZoneMissing,
    }),
    send: async ({ business, user, zone }) => {
      if (zone.trim() !== names.timeZone) {
        await call('PUT /api/account/time-zone', { body: { timeZone: zone.trim() } })
      }
      await call('PATCH /api/account', { body: { name: business.trim(), userName: user.trim() } })
    },
    onSaved: () => {
      onSaved()
      for (const route of ['GET /api/first-run', 'GET /api/account', 'GET /api/session', 'GET /api/reports']) {
        void queryClient.invalidateQueries({ queryKey: [route] })
      }
    },
  })
  return (
    <form {...form.form} className="fr-you" aria-label={words.aboutYou}>
      <Field
        label={words.business}
        maxLength={limits.nameCharacters}
        autoComplete="organization"
        {...form.field('business')}
      />
      <Field label={words.yourName} maxLength={limits.nameCharacters} autoComplete="name" {...form.field('user')} />
      <Field
        label={words.timeZone}
        hint={words.timeZoneHint}
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        list={timeZones}
        {...form.field('zone')}
      />
      <TimeZones />
      <Failed error={form.failure} />
      <Button type="submit" busy={form.isSending && words.savingYou}>
        {words.saveYou}
      </Button>
    </form>
  )
}
