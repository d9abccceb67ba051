import type { Me } from '@patchbay/contract/app/session.ts'
import type { OpenedLink } from '@patchbay/contract/app/team.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { call } from '../data/api.ts'
import { accountWords } from '../settings/account/words.ts'
import { teamWords as words } from '../settings/team/words.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Field } from '../ui/field.tsx'
import { useForm } from '../ui/use-form.ts'

type Props = { link: OpenedLink; token: string; onDone: (me: Me) => Promise<void> }

/** A new password by a link that an owner made. */
export function PasswordForm({ link, token, onDone }: Props) {
  const form = useForm({
    initial: { password: '' },
    check: ({ password }) => ({
      password: password.length < limits.password.from && accountWords.tooShort(password.length, limits.password.from),
    }),
    send: ({ password }) => call('POST /api/links/password', { body: { token, password } }),
    onSaved: onDone,
    place: (error) => ({ password: sayError(error).title }),
  })
  return (
    <form {...form.form}>
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
        {...form.field('password')}
      />
      <Button type="submit" look="primary" size="lg" busy={form.isSending && words.setting}>
        {words.setPassword}
      </Button>
    </form>
  )
}
