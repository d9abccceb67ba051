import { contactTexts } from '@patchbay/contract/contact-texts.ts'
import { limits } from '@patchbay/contract/limits.ts'
import type { ReactNode } from 'react'
import { Field } from '../ui/field.tsx'
import type { useForm } from '../ui/use-form.ts'
import type { ContactValues } from './contact-checks.ts'
import { contactWords as words } from './words.ts'

/** The fields of a contact, the same for a new one and for a change. */
export function ContactFields({
  form: { form, field, errors },
  taken,
  hasId = false,
}: {
  form: Pick<ReturnType<typeof useForm<ContactValues, unknown>>, 'form' | 'field' | 'errors'>
  /** Says who has the number, in place of the phone's error. */
  taken: ReactNode
  /** Whether they have an id, which stays as it is. */
  hasId?: boolean
}) {
  return (
    <form {...form} className="contact-fields">
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
        error={taken || errors.phone}
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
