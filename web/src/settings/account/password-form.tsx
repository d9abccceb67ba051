import { limits } from '@patchbay/contract/limits.ts'
import { useMutation } from '@tanstack/react-query'
import Check from 'lucide-react/icons/check'
import { type FormEvent, useState } from 'react'
import { ApiError, call } from '../../data/api.ts'
import { queryClient } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { errorWords } from '../../ui/error-words.ts'
import { Field } from '../../ui/field.tsx'
import { Note } from '../../ui/note.tsx'
import { Section } from '../../ui/section.tsx'
import { accountWords as words } from './words.ts'

export function PasswordForm() {
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const [isChecked, setChecked] = useState({ current: false, password: false })
  const change = useMutation({
    mutationFn: () => call('PUT /api/account/password', { body: { current, password } }),
    onSuccess: () => {
      setCurrent('')
      setPassword('')
      setChecked({ current: false, password: false })
      void queryClient.invalidateQueries({ queryKey: ['GET /api/account'] })
    },
  })
  const isShort = password.length < limits.password.from
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked({ current: true, password: true })
    if (current !== '' && !isShort) change.mutate()
  }
  return (
    <Section title={words.password} says={words.passwordSays}>
      <form className="stack stack-3 form-narrow" onSubmit={submit} noValidate>
        <Field
          label={words.current}
          type="password"
          autoComplete="current-password"
          value={current}
          error={isChecked.current && current === '' ? words.currentMissing : sayRefusal(change.error)}
          onChange={(event) => {
            setCurrent(event.target.value)
            if (change.error) change.reset()
          }}
        />
        <Field
          label={words.new}
          type="password"
          autoComplete="new-password"
          maxLength={limits.password.to}
          value={password}
          error={isChecked.password && isShort ? words.tooShort(password.length, limits.password.from) : undefined}
          onBlur={() => password !== '' && setChecked((checked) => ({ ...checked, password: true }))}
          onChange={(event) => setPassword(event.target.value)}
        />
        <div>
          <Button type="submit" busy={change.isPending && words.changing} disabled={current === '' || isShort}>
            {words.change}
          </Button>
        </div>
        {change.isSuccess && (
          <Note icon={Check} tone="ok" role="status">
            {words.changed}
          </Note>
        )}
      </form>
    </Section>
  )
}

function sayRefusal(error: Error | null): string | undefined {
  if (!error) return undefined
  if (!(error instanceof ApiError)) return sayError(error).title
  if (error.code === 'FORBIDDEN') return words.wrongPassword
  return error.retryAfterSeconds === null ? sayError(error).title : errorWords.wait(error.retryAfterSeconds)
}
