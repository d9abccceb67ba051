import './rename-form.css'
import { useEffect, useId, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { sayError } from './error-state.tsx'

type Words = Record<'newName' | 'nameMissing' | 'saveName' | 'saving' | 'cancel', string>

type Props = {
  words: Words
  name: string
  rename: { mutate: (name: string) => void; isPending: boolean; error: unknown }
  onCancel: () => void
}

/** In place of a name. Escape leaves it as it was. */
export function RenameForm({ words, name, rename, onCancel }: Props) {
  const [text, setText] = useState(name)
  const input = useRef<HTMLInputElement>(null)
  const errorId = useId()
  useEffect(() => input.current?.select(), [])
  const changed = text.trim()
  const isBlank = changed === ''
  const error = isBlank ? words.nameMissing : rename.error ? sayError(rename.error).title : undefined
  return (
    <form
      className="row wrap grow rename-form"
      noValidate
      onKeyDown={(event) => event.key === 'Escape' && onCancel()}
      onSubmit={(event) => {
        event.preventDefault()
        if (changed === name) onCancel()
        else if (!isBlank && !rename.isPending) rename.mutate(changed)
      }}
    >
      <input
        ref={input}
        className="input"
        aria-label={words.newName}
        aria-invalid={isBlank || undefined}
        aria-describedby={error ? errorId : undefined}
        value={text}
        dir="auto"
        maxLength={256}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
      />
      <Button look="primary" type="submit" busy={rename.isPending && words.saving}>
        {words.saveName}
      </Button>
      <Button look="quiet" onClick={onCancel}>
        {words.cancel}
      </Button>
      {error && (
        <span className="error" id={errorId} role="alert">
          {error}
        </span>
      )}
    </form>
  )
}
