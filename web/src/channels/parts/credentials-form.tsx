import { type ReactNode, useEffect } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import type { CredentialField } from '../connect/kind-words.ts'
import { channelWords as words } from '../words.ts'
import { Refusal } from './secret.tsx'

type Given = Record<string, string>

type Props<Saved> = {
  fields: readonly CredentialField[]
  /** What those that may be left out are for. */
  optional?: { title: string; says: string } | undefined
  act: string
  acting: string
  hint?: ReactNode
  /** They are tried before they are kept. What was left out is not in it. */
  send: (given: Given) => Promise<Saved>
  onSaved: (saved: Saved, given: Given) => unknown
  onRefused?: () => void
  /** What is said beside why they were refused. */
  refusedHint?: string
  onCancel?: () => void
  /** Whether the first field has the focus from the start. */
  focused?: boolean
}

/** Where credentials go in. A secret is never shown again, and nothing of it is left in its field. */
export function CredentialsForm<Saved>(props: Props<Saved>) {
  const {
    fields,
    optional,
    act,
    acting,
    hint,
    send,
    onSaved,
    onRefused,
    onCancel,
    refusedHint,
    focused = false,
  } = props
  const blank: Given = Object.fromEntries(fields.map(({ name }) => [name, '']))
  const needed = fields.filter(({ missing }) => missing !== undefined)
  const form = useForm({
    initial: blank,
    check: (values) =>
      Object.fromEntries(needed.map(({ name, missing }) => [name, values[name]?.trim() === '' && missing])),
    send: async (values) => {
      const given = givenOf(values)
      return { saved: await send(given), given }
    },
    onSaved: ({ saved, given }) => {
      form.set(blank)
      return onSaved(saved, given)
    },
    place: (error) => {
      onRefused?.()
      return { [aboutOf(error, fields)]: <Refusal error={error} hint={refusedHint} /> }
    },
  })
  const { ref: element } = form.form
  useEffect(() => {
    if (focused) element.current?.querySelector('input')?.focus()
  }, [element, focused])
  const show = ({ name, label, placeholder, isSecret }: CredentialField) => (
    <Field
      key={name}
      label={label}
      mono
      type={isSecret ? 'password' : 'text'}
      autoComplete="off"
      spellCheck={false}
      maxLength={4_096}
      placeholder={placeholder}
      hint={name === needed.at(-1)?.name && hint}
      {...form.field(name)}
    />
  )
  return (
    <form {...form.form} className="stack">
      {needed.map(show)}
      {optional && (
        <details className="credentials-optional">
          <summary>{optional.title}</summary>
          <div className="stack">
            <p className="small muted">{optional.says}</p>
            {fields.filter(({ missing }) => missing === undefined).map(show)}
          </div>
        </details>
      )}
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

function givenOf(values: Given): Given {
  const given = Object.entries(values).map(([name, value]) => [name, value.trim()])
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

/** A refusal that begins with a field's name is about that; any other is about the secret that speaks for the sender. */
function aboutOf({ message }: Error, fields: readonly CredentialField[]): string {
  const named = fields.find(({ name }) => message.startsWith(`${name} `))
  return (named ?? fields.find(({ isSecret }) => isSecret) ?? fields[0])?.name ?? ''
}
