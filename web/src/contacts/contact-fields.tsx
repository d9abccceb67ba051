import { contactTexts } from '@patchbay/contract/contact-texts.ts'
import { limits } from '@patchbay/contract/limits.ts'
import type { ReactNode } from 'react'
import { Field } from '../ui/field.tsx'
import type { ContactValues } from './contact-checks.ts'
import type { ContactForm } from './use-contact-form.ts'
import { contactWords as words } from './words.ts'

/** The fields of a contact, the same for a new one and for a change. */
export function ContactFields({
  form,
  taken,
  hasId = false,
  onSubmit,
}: {
  form: ContactForm
  /** In place of the phone's error: who has the number. */
  taken: ReactNode
  /** They have an id, which stays as it is. */
  hasId?: boolean
  onSubmit: () => void
}) {
  const field = (name: keyof ContactValues) => ({
    name,
    value: form.values[name],
    error: form.errors[name],
    onChange: (event: { target: { value: string } }) => form.change(name, event.target.value),
    onBlur: () => form.leave(name),
  })
  return (
    <form
      ref={form.form}
      id={form.formId}
      noValidate
      className="contact-fields"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {contactTexts.map((name) => (
        <Field
          key={name}
          label={words.texts[name]}
          {...field(name)}
          dir="auto"
          maxLength={limits.nameCharacters}
          autoComplete="off"
        />
      ))}
      <Field
        label={words.phone}
        {...field('phone')}
        error={taken || form.errors.phone}
        hint={words.phoneHint}
        type="tel"
        mono
        maxLength={64}
        autoComplete="off"
      />
      <Field
        label={words.email}
        {...field('email')}
        type="email"
        inputMode="email"
        maxLength={254}
        autoComplete="off"
      />
      {!hasId && (
        <Field
          label={words.theirId}
          {...field('externalId')}
          hint={words.theirIdHint}
          mono
          maxLength={limits.idCharacters}
          autoComplete="off"
        />
      )}
    </form>
  )
}
