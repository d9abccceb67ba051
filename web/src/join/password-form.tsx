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

/** A new password by a link that an owner made. */
export function PasswordForm({ link, token, onDone }: Props) {
  const [password, setPassword] = useState('')
  const [isChecked, setChecked] = useState(false)
  const isShort = password.length < limits.password.from
  const change = useMutation({
    mutationFn: () => call('POST /api/links/password', { body: { token, password } }),
    onSuccess: onDone,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (!isShort && !change.isPending) change.mutate()
  }
  const short = isChecked && isShort ? accountWords.tooShort(password.length, limits.password.from) : undefined
  return (
    <form onSubmit={submit} noValidate>
      <div className="stack">
        <h1>{words.passwordTitle}</h1>
        <p className="muted">{words.passwordFor(link.email ?? '', link.accountName)}</p>
      </div>
      <Field
        label={words.newPassword}
        type="password"
        autoComplete="new-password"
        autoFocus
        maxLength={limits.password.to}
        value={password}
        error={short ?? (change.error && sayError(change.error).title)}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Button type="submit" look="primary" size="lg" busy={change.isPending && words.setting}>
        {words.setPassword}
      </Button>
    </form>
  )
}
