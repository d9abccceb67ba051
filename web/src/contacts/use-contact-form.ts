import { useId, useRef, useState } from 'react'
import { ApiError } from '../data/api.ts'
import { type ContactErrors, type ContactValues, checkAll, checkField } from './contact-checks.ts'
import { contactWords as words } from './words.ts'

/** What the form of a contact holds: values, and errors found on blur, on submit and by the server. */
export function useContactForm(initial: ContactValues, isKnown: boolean) {
  const [values, setValues] = useState(initial)
  const [errors, setErrors] = useState<ContactErrors>({})
  const formId = useId()
  const form = useRef<HTMLFormElement>(null)

  const focusFirst = (found: ContactErrors) => {
    const [first] = Object.keys(found)
    if (first) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus()
  }
  const show = (found: ContactErrors) => {
    setErrors(found)
    focusFirst(found)
  }
  return {
    form,
    formId,
    values,
    errors,
    show,
    reset: (to: ContactValues) => {
      setValues(to)
      setErrors({})
    },
    change: (name: keyof ContactValues, value: string) => {
      setValues({ ...values, [name]: value })
      // An error is not looked for while somebody types, but a mended one goes.
      if (errors[name]) setErrors({ ...errors, [name]: checkField(name, value) })
    },
    leave: (name: keyof ContactValues) => setErrors({ ...errors, [name]: checkField(name, values[name]) }),
    /** Whether they may be sent; else the first wrong one has the focus. */
    check: () => {
      const found = checkAll(values, isKnown)
      show(found)
      return Object.keys(found).length === 0
    },
  }
}

export type ContactForm = ReturnType<typeof useContactForm>

/** The server's refusal as an error of a field; undefined when it is about none. */
export function fieldErrorOf(error: unknown): ContactErrors | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.code === 'INVALID_PHONE') return { phone: words.wrongPhone }
  if (error.code === 'INVALID_EMAIL') return { email: words.wrongEmail }
  if (error.code === 'ID_TAKEN') return { externalId: error.message }
  if (error.code === 'PHONE_OR_EMAIL_REQUIRED') return { phone: words.neither }
  return undefined
}
