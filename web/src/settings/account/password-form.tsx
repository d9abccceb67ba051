import { limits } from '@patchbay/contract/limits.ts'
import Check from 'lucide-react/icons/check'
import { call } from '../../data/api.ts'
import { queryClient } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Note } from '../../ui/note.tsx'
import { Section } from '../../ui/section.tsx'
import { useForm } from '../../ui/use-form.ts'
import { sayPasswordRefusal } from '../say-password-refusal.ts'
import { accountWords as words } from './words.ts'

export function PasswordForm() {
  const form = useForm({
    initial: { current: '', password: '' },
    check: ({ current, password }) => ({
      current: current === '' && words.currentMissing,
      password: isShort(password) && words.tooShort(password.length, limits.password.from),
    }),
    send: (body) => call('PUT /api/account/password', { body }),
    onSaved: () => {
      form.reset()
      void queryClient.invalidateQueries({ queryKey: ['GET /api/account'] })
    },
    place: (error) => ({ current: sayPasswordRefusal(error, words.wrongPassword) }),
  })
  const { current, password } = form.values
  return (
    <Section title={words.password} says={words.passwordSays}>
      <form {...form.form} className="stack stack-3 form-narrow">
        <Field label={words.current} type="password" autoComplete="current-password" {...form.field('current')} />
        <Field
          label={words.new}
          type="password"
          autoComplete="new-password"
          maxLength={limits.password.to}
          {...form.field('password')}
        />
        <div>
          <Button type="submit" busy={form.isSending && words.changing} disabled={current === '' || isShort(password)}>
            {words.change}
          </Button>
        </div>
        {form.isSaved && (
          <Note icon={Check} tone="ok" role="status">
            {words.changed}
          </Note>
        )}
      </form>
    </Section>
  )
}

const isShort = (password: string) => password.length < limits.password.from
