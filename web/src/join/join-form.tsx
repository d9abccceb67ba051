import type { Me } from '@patchbay/contract/app/session.ts'
import type { OpenedLink } from '@patchbay/contract/app/team.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call } from '../data/api.ts'
import { accountWords } from '../settings/account/words.ts'
import { teamWords as words } from '../settings/team/words.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Field } from '../ui/field.tsx'

type Props = { link: OpenedLink; token: string; onDone: (me: Me) => Promise<void> }

/** Name, e-mail address and password of somebody who was invited. */
export function JoinForm({ link, token, onDone }: Props) {
  const [given, setGiven] = useState({ name: '', email: '', password: '' })
  const [isChecked, setChecked] = useState(false)
  const join = useMutation({
    mutationFn: () => call('POST /api/links/invitation', { body: { token, ...given } }),
    onSuccess: onDone,
  })
  const faults = isChecked ? faultsOf(given) : {}
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (Object.keys(faultsOf(given)).length === 0 && !join.isPending) join.mutate()
  }
  const field = (name: keyof typeof given) => ({
    value: given[name],
    onChange: (event: { target: { value: string } }) => setGiven({ ...given, [name]: event.target.value }),
  })
  return (
    <form onSubmit={submit} noValidate>
      <div className="stack">
        <h1>{words.joinAs(link.accountName)}</h1>
        <p className="muted">{words.joinSays(words.joinRole[link.makesOwner ? 'owner' : 'member'])}</p>
      </div>
      <Field
        label={words.name}
        hint={words.nameHint}
        autoComplete="name"
        autoFocus
        maxLength={limits.nameCharacters}
        error={faults.name}
        {...field('name')}
      />
      <Field
        label={words.email}
        hint={words.emailHint}
        type="email"
        autoComplete="username"
        error={faults.email ?? (join.error && sayError(join.error).title)}
        {...field('email')}
      />
      <Field
        label={words.password}
        type="password"
        autoComplete="new-password"
        maxLength={limits.password.to}
        error={faults.password}
        {...field('password')}
      />
      <Button type="submit" look="primary" size="lg" busy={join.isPending && words.joining}>
        {words.join}
      </Button>
    </form>
  )
}

function faultsOf({ name, email, password }: { name: string; email: string; password: string }) {
  const isShort = password.length < limits.password.from
  return {
    ...(name.trim() === '' && { name: words.nameMissing }),
    ...(!email.includes('@') && { email: words.emailMissing }),
    ...(isShort && { password: accountWords.tooShort(password.length, limits.password.from) }),
  }
}
