import type { MadeSubaccount } from '@patchbay/contract/app/agency.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { queryClient } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { CopyLine } from '../ui/copy-line.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Field } from '../ui/field.tsx'
import { Note } from '../ui/note.tsx'
import { useForm } from '../ui/use-form.ts'
import { agencyWords as words } from './words.ts'

type Props = { isMaking: boolean; onDone: () => void }

/**
 * The form for a new sub-account, above the table. Each password stays until it was put away, also while the next
 * sub-account is made.
 */
export function NewSubaccount({ isMaking, onDone }: Props) {
  const [made, setMade] = useState<MadeSubaccount[]>([])
  if (!isMaking && made.length === 0) return null
  const keep = (one: MadeSubaccount) => {
    setMade((before) => [one, ...before])
    onDone()
  }
  return (
    <section className="new-sub stack stack-3" aria-label={words.newOne}>
      {isMaking && <Form onMade={keep} onCancel={onDone} />}
      {made.map((one) => (
        <PasswordNote key={one.id} made={one} onDone={() => setMade((all) => all.filter(({ id }) => id !== one.id))} />
      ))}
    </section>
  )
}

function Form({ onMade, onCancel }: { onMade: (made: MadeSubaccount) => void; onCancel: () => void }) {
  const navigate = useNavigate()
  const form = useForm({
    initial: { name: '', email: '' },
    check: ({ name, email }) => ({
      name: name.trim() === '' && words.nameMissing,
      email: email.trim() === '' && words.emailMissing,
    }),
    send: ({ name, email }) =>
      call('POST /api/agency/subaccounts', { body: { name: name.trim(), email: email.trim() } }),
    onSaved: (made) => {
      void queryClient.invalidateQueries({ queryKey: ['GET /api/agency/subaccounts'] })
      void navigate({ to: '/agency', search: { id: made.id } })
      onMade(made)
    },
    place: (error) => ({ email: sayError(error).title }),
  })
  return (
    <form {...form.form} onKeyDown={(event) => event.key === 'Escape' && onCancel()}>
      <Field label={words.name} autoFocus maxLength={limits.nameCharacters} {...form.field('name')} />
      <Field
        label={words.email}
        type="email"
        maxLength={limits.emailCharacters}
        hint={words.emailHint}
        {...form.field('email')}
      />
      <div className="row wrap">
        <Button type="submit" look="primary" busy={form.isSending && words.creating}>
          {words.create}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          {words.cancel}
        </Button>
      </div>
    </form>
  )
}

function PasswordNote({ made: { email, password }, onDone }: { made: MadeSubaccount; onDone: () => void }) {
  return (
    <Note tone="ok" role="status">
      <div className="stack stack-3">
        <p>{words.made(email)}</p>
        <CopyLine text={password} what={words.password} whole />
        <div className="row">
          <Button onClick={onDone}>{words.done}</Button>
        </div>
      </div>
    </Note>
  )
}
