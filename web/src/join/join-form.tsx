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

/** Name, e-mail address and password of somebody who was invited. */
export function JoinForm({ link, token, onDone }: Props) {
  const form = useForm({
    initial: { name: '', email: '', password: '' },
    check: ({ name, email, password }) => ({
      name: name.trim() === '' && words.nameMissing,
      email: !email.includes('@') && words.emailMissing,
      password: password.length < limits.password.from && accountWords.tooShort(password.length, limits.password.from),
    }),
    send: (given) => call('POST /api/links/invitation', { body: { token, ...given } }),
    onSaved: onDone,
    place: (error) => ({ email: sayError(error).title }),
  })
  return (
    <form {...form.form}>
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
        {...form.field('name')}
      />
      <Field label={words.email} hint={words.emailHint} type="email" autoComplete="username" {...form.field('email')} />
      <Field
        label={words.password}
        type="password"
        autoComplete="new-password"
        maxLength={limits.password.to}
        {...form.field('password')}
      />
      <Button type="submit" look="primary" size="lg" busy={form.isSending && words.joining}>
        {words.join}
      </Button>
    </form>
  )
}
