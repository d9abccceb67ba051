import { call } from '../../data/api.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { sayPasswordRefusal } from '../say-password-refusal.ts'
import { webhookWords as words } from './words.ts'

type Props = {
  of: '/api/webhook' | '/api/agency/webhook' | '/api/alerts/webhook'
  onShown: (secret: string) => void
  onCancel: () => void
}

/** Asks for the password again, before the secret is shown. */
export function RevealForm({ of, onShown, onCancel }: Props) {
  const form = useForm({
    initial: { password: '' },
    check: ({ password }) => ({ password: password === '' && words.passwordMissing }),
    send: (body) => call(`POST ${of}/secret`, { body }),
    onSaved: ({ secret }) => onShown(secret),
    place: (error) => ({ password: sayPasswordRefusal(error, words.wrong) }),
  })
  return (
    <form {...form.form} className="well stack stack-3">
      <Field
        label={words.password}
        type="password"
        autoComplete="current-password"
        autoFocus
        {...form.field('password')}
      />
      <div className="row">
        <Button type="submit" busy={form.isSending && words.showing}>
          {words.show}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          {words.cancel}
        </Button>
      </div>
    </form>
  )
}
