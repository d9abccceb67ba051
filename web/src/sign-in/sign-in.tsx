import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
import { ApiError, call } from '../data/api.ts'
import { useStore } from '../data/store.ts'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { sayError } from '../ui/error-state.tsx'
import { errorWords } from '../ui/error-words.ts'
import { Field } from '../ui/field.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { Note } from '../ui/note.tsx'
import { useNow } from '../ui/use-now.ts'
import { SignInFrame } from './sign-in-frame.tsx'
import { useGoOn } from './use-go-on.ts'
import { useSignedInElsewhere } from './use-signed-in-elsewhere.ts'
import { whySignedOut } from './why-signed-out.ts'
import { signInWords as words } from './words.ts'

export function SignIn() {
  return (
    <SignInFrame title={words.title}>
      <SignInForm />
    </SignInFrame>
  )
}

type FieldErrors = { email?: string; password?: string }

function SignInForm() {
  const { next } = useSearch({ from: '/sign-in' })
  const reason = useStore(whySignedOut)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [isShown, setShown] = useState(false)
  const [email, setEmail] = useState('')
  const password = useRef<HTMLInputElement>(null)
  const goOn = useGoOn(next)
  useSignedInElsewhere(goOn)
  const signIn = useMutation({
    mutationFn: (body: { email: string; password: string }) => call('POST /api/session', { body }),
    onSuccess: goOn,
    onError: () => password.current?.select(),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const body = { email: email.trim(), password: password.current?.value ?? '' }
    const found = fieldErrorsOf(body)
    setErrors(found)
    if (Object.keys(found).length === 0 && !signIn.isPending) signIn.mutate(body)
  }
  return (
    <form onSubmit={submit} noValidate>
      <div className="stack">
        <h1>{words.title}</h1>
        <p className="muted">{location.host}</p>
      </div>
      {reason !== null && <Note role="status">{reason}</Note>}
      <Field
        label={words.email}
        type="email"
        autoComplete="username"
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={errors.email}
      />
      <Field
        label={words.password}
        type={isShown ? 'text' : 'password'}
        autoComplete="current-password"
        ref={password}
        error={errors.password ?? (signIn.error && <WhyNot key={signIn.submittedAt} error={signIn.error} />)}
        aside={<ShowSwitch isShown={isShown} onClick={() => setShown(!isShown)} />}
      />
      <Button type="submit" look="primary" size="lg" busy={signIn.isPending && words.signingIn}>
        {words.signIn} <Kbd press="Enter" />
      </Button>
      <p className="small muted">{words.lost}</p>
      <CodeBlock text={words.lostCommand(email.trim() || '…')} label={words.copyCommand} />
    </form>
  )
}

function ShowSwitch({ isShown, onClick }: { isShown: boolean; onClick: () => void }) {
  return (
    <button
      type="button"
      className="link small"
      aria-label={isShown ? words.hidePassword : words.showPassword}
      onClick={onClick}
    >
      {isShown ? words.hide : words.show}
    </button>
  )
}

function fieldErrorsOf({ email, password }: { email: string; password: string }): FieldErrors {
  return {
    ...(email === '' ? { email: words.emailMissing } : !email.includes('@') && { email: words.emailWrong }),
    ...(password === '' && { password: words.passwordMissing }),
  }
}

/** Counts the seconds down where the server asks to wait; read out once. */
function WhyNot({ error }: { error: Error }) {
  const [failedAt] = useState(Date.now)
  const now = useNow('second')
  const waits = error instanceof ApiError ? error.retryAfterSeconds : null
  if (waits === null) return <span role="alert">{whyNot(error)}</span>
  const left = Math.max(0, Math.ceil(waits - (now.getTime() - failedAt) / 1_000))
  return (
    <>
      <span aria-hidden="true">{left === 0 ? words.nowAgain : errorWords.wait(left)}</span>
      <span className="sr" role="alert">
        {errorWords.wait(waits)}
      </span>
    </>
  )
}

function whyNot(error: Error): string {
  if (error instanceof ApiError && error.status === 401) return words.wrong
  const { title, hint } = sayError(error)
  return `${title} ${hint}`.trim()
}
