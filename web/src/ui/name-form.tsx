import { Button } from './button.tsx'
import { sayError } from './error-state.tsx'
import { Field } from './field.tsx'
import { useForm } from './use-form.ts'

type Words = Record<'name' | 'nameHint' | 'nameMissing' | 'create' | 'creating' | 'cancel', string>

type Props = {
  words: Words
  create: (name: string) => Promise<unknown>
  onCancel: () => void
  className: string
}

/** Asks for the name of something new, where it was asked for. Escape puts it away. */
export function NameForm({ words, create, onCancel, className }: Props) {
  const form = useForm({
    initial: { name: '' },
    check: ({ name }) => ({ name: name.trim() === '' && words.nameMissing }),
    send: ({ name }) => create(name.trim()),
    place: (error) => ({ name: sayError(error).title }),
  })
  return (
    <form {...form.form} className={className} onKeyDown={(event) => event.key === 'Escape' && onCancel()}>
      <Field
        label={words.name}
        hint={words.nameHint}
        autoFocus
        dir="auto"
        maxLength={256}
        autoComplete="off"
        {...form.field('name')}
      />
      <div className="row">
        <Button look="primary" type="submit" busy={form.isSending && words.creating}>
          {words.create}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          {words.cancel}
        </Button>
      </div>
    </form>
  )
}
