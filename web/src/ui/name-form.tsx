import { useEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { sayError } from './error-state.tsx'
import { Field } from './field.tsx'

type Words = Record<'name' | 'nameHint' | 'nameMissing' | 'create' | 'creating' | 'cancel', string>

type Props = {
  words: Words
  create: { mutate: (name: string) => void; isPending: boolean; error: unknown }
  onCancel: () => void
  className: string
}

/** Asks for the name of something new, where it was asked for. Escape puts it away. */
export function NameForm({ words, create, onCancel, className }: Props) {
  const [text, setText] = useState('')
  const [isMissing, setMissing] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  const name = text.trim()
  return (
    <form
      className={className}
      noValidate
      onKeyDown={(event) => event.key === 'Escape' && onCancel()}
      onSubmit={(event) => {
        event.preventDefault()
        setMissing(name === '')
        if (name === '') input.current?.focus()
        else if (!create.isPending) create.mutate(name)
      }}
    >
      <Field
        ref={input}
        label={words.name}
        hint={words.nameHint}
        error={isMissing ? words.nameMissing : create.error ? sayError(create.error).title : undefined}
        value={text}
        dir="auto"
        maxLength={256}
        autoComplete="off"
        onChange={(event) => {
          setText(event.target.value)
          setMissing(false)
        }}
      />
      <div className="row">
        <Button look="primary" type="submit" busy={create.isPending && words.creating}>
          {words.create}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          {words.cancel}
        </Button>
      </div>
    </form>
  )
}
