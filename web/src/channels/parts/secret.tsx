import './parts.css'
import Lock from 'lucide-react/icons/lock'
import { type ReactNode, useEffect } from 'react'
import { ApiError } from '../../data/api.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Field } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { channelWords as words } from '../words.ts'

/** A secret that is saved: that it is, and not one character of it. */
export function SavedSecret({ label, onReplace }: { label: string; onReplace?: () => void }) {
  return (
    <div className="field">
      <span className="label">{label}</span>
      <div className="channel-secret">
        <Lock className="i" />
        <span className="grow">{words.saved}</span>
        {onReplace && (
          <Button size="sm" onClick={onReplace}>
            {words.replace}
          </Button>
        )}
      </div>
    </div>
  )
}

type Props<Saved> = {
  label: string
  missing: string
  act: string
  acting: string
  hint?: ReactNode
  placeholder?: string
  /** It is tried before it is kept. */
  send: (secret: string) => Promise<Saved>
  onSaved: (saved: Saved) => unknown
  onRefused?: () => void
  /** What is said beside why it was refused. */
  refusedHint?: string
  onCancel?: () => void
  /** Whether it has the focus from the start. */
  focused?: boolean
}

/** Where a secret goes in. It is never shown again, and nothing of it is left in the field. */
export function SecretForm<Saved>(props: Props<Saved>) {
  const { label, missing, act, acting, hint, placeholder, send, onSaved, onRefused, onCancel } = props
  const { refusedHint, focused = false } = props
  const form = useForm({
    initial: { secret: '' },
    check: ({ secret }) => ({ secret: secret.trim() === '' && missing }),
    send: ({ secret }) => send(secret.trim()),
    onSaved: (saved) => {
      form.set({ secret: '' })
      return onSaved(saved)
    },
    place: (error) => {
      onRefused?.()
      return { secret: <Refusal error={error} hint={refusedHint} /> }
    },
  })
  const { ref: element } = form.form
  useEffect(() => {
    if (focused) element.current?.querySelector('input')?.focus()
  }, [element, focused])
  return (
    <form {...form.form} className="stack">
      <Field
        label={label}
        mono
        type="password"
        autoComplete="off"
        spellCheck={false}
        maxLength={4_096}
        placeholder={placeholder}
        hint={hint}
        {...form.field('secret')}
      />
      <div className="row wrap">
        <Button type="submit" look="primary" busy={form.isSending && acting}>
          {act}
        </Button>
        {onCancel && (
          <Button look="quiet" onClick={onCancel}>
            {words.cancel}
          </Button>
        )}
      </div>
    </form>
  )
}

/** Why it was not kept, and what the provider said. */
function Refusal({ error, hint = '' }: { error: Error; hint: string | undefined }) {
  const { title, hint: next } = sayError(error)
  const quote = error instanceof ApiError ? error.quote : null
  return (
    <>
      {title} {hint} {next}
      {quote && (
        <span className="channel-quote">
          <bdi>{quote}</bdi>
        </span>
      )}
    </>
  )
}
