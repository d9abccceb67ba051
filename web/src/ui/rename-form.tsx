import './rename-form.css'
import { useEffect, useId } from 'react'
import { Button } from './button.tsx'
import { sayError } from './error-state.tsx'
import { useForm } from './use-form.ts'

type Words = Record<'newName' | 'nameMissing' | 'saveName' | 'saving' | 'cancel', string>

type Props = {
  words: Words
  name: string
  rename: (name: string) => Promise<unknown>
  /** Is called when it was renamed, or left as it was. */
  onDone: () => void
}

/** A form in place of a name. Escape leaves it as it was. */
export function RenameForm({ words, name, rename, onDone }: Props) {
  const form = useForm({
    initial: { name },
    check: (values) => ({ name: values.name.trim() === '' && words.nameMissing }),
    send: async (values, { changes }) => {
      if (changes.name !== undefined) await rename(values.name.trim())
    },
    onSaved: onDone,
    place: (error) => ({ name: sayError(error).title }),
  })
  const { ref: element } = form.form
  useEffect(() => element.current?.querySelector('input')?.select(), [element])
  const { error, ...field } = form.field('name')
  const errorId = useId()
  return (
    <form
      {...form.form}
      className="row wrap grow rename-form"
      onKeyDown={(event) => event.key === 'Escape' && onDone()}
    >
      <input
        {...field}
        className="input"
        aria-label={words.newName}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? errorId : undefined}
        dir="auto"
        maxLength={256}
        autoComplete="off"
      />
      <Button look="primary" type="submit" busy={form.isSending && words.saving}>
        {words.saveName}
      </Button>
      <Button look="quiet" onClick={onDone}>
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
