import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { call } from '../data/api.ts'
import { queryClient } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { Failed } from '../ui/failed.tsx'
import { Field } from '../ui/field.tsx'
import { TimeZones, timeZones } from '../ui/time-zones.tsx'
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
  const [business, setBusiness] = useState(names.business ?? '')
  const [user, setUser] = useState(names.user ?? '')
  const [zone, setZone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone)
  const [isTried, setTried] = useState(false)
  const save = useMutation({
    mutationFn: async () => {
      if (zone.trim() !== names.timeZone) {
        await call('PUT /api/account/time-zone', { body: { timeZone: zone.trim() } })
      }
      await call('PATCH /api/account', { body: { name: business.trim(), userName: user.trim() } })
    },
    onSuccess: () => {
      onSaved()
      for (const route of ['GET /api/first-run', 'GET /api/account', 'GET /api/session', 'GET /api/reports']) {
        void queryClient.invalidateQueries({ queryKey: [route] })
      }
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (business.trim() !== '' && user.trim() !== '' && zone.trim() !== '' && !save.isPending) save.mutate()
  }
  return (
    <form className="fr-you" aria-label={words.aboutYou} onSubmit={submit} noValidate>
      <Field
        label={words.business}
        value={business}
        maxLength={limits.nameCharacters}
        autoComplete="organization"
        error={isTried && business.trim() === '' && words.businessMissing}
        onChange={(event) => setBusiness(event.target.value)}
      />
      <Field
        label={words.yourName}
        value={user}
        maxLength={limits.nameCharacters}
        autoComplete="name"
        error={isTried && user.trim() === '' && words.yourNameMissing}
        onChange={(event) => setUser(event.target.value)}
      />
      <Field
        label={words.timeZone}
        hint={words.timeZoneHint}
        value={zone}
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        list={timeZones}
        error={isTried && zone.trim() === '' && words.timeZoneMissing}
        onChange={(event) => setZone(event.target.value)}
      />
      <TimeZones />
      <Failed error={save.error} />
      <Button type="submit" busy={save.isPending && words.savingYou}>
        {words.saveYou}
      </Button>
    </form>
  )
}
