import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError, call } from '../../data/api.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { errorWords } from '../../ui/error-words.ts'
import { Field } from '../../ui/field.tsx'
import { webhookWords as words } from './words.ts'

type Props = {
  of: '/api/webhook' | '/api/agency/webhook' | '/api/alerts/webhook'
  onShown: (secret: string) => void
  onCancel: () => void
}

/** The password again, before the secret is shown. */
export function RevealForm({ of, onShown, onCancel }: Props) {
  const [password, setPassword] = useState('')
  const [isMissing, setMissing] = useState(false)
  const reveal = useMutation({
    mutationFn: () => call(`POST ${of}/secret`, { body: { password } }),
    onSuccess: ({ secret }) => onShown(secret),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setMissing(password === '')
    if (password !== '') reveal.mutate()
  }
  return (
    <form className="well stack stack-3" onSubmit={submit} noValidate>
      <Field
        label={words.password}
        type="password"
        autoComplete="current-password"
        autoFocus
        value={password}
        error={isMissing ? words.passwordMissing : sayRefusal(reveal.error)}
        onChange={(event) => {
          setPassword(event.target.value)
          setMissing(false)
          if (reveal.error) reveal.reset()
        }}
      />
      <div className="row">
        <Button type="submit" busy={reveal.isPending && words.showing}>
          {words.show}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          {words.cancel}
        </Button>
      </div>
    </form>
  )
}

function sayRefusal(error: Error | null): string | undefined {
  if (!error) return undefined
  if (!(error instanceof ApiError)) return sayError(error).title
  if (error.code === 'FORBIDDEN') return words.wrong
  return error.retryAfterSeconds === null ? sayError(error).title : errorWords.wait(error.retryAfterSeconds)
}
