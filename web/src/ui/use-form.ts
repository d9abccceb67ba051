import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { ApiError } from '../data/api.ts'

/** What is wrong, by field; nothing where it is undefined or false. */
export type FieldErrors<Values> = { [Name in keyof Values]?: ReactNode }

/** What the server had when something was typed over it. */
type Base<Values, Version> = { values: Values; version: Version }

type Given<Values, Version> = {
  /** What the server has, or blanks. When it changes, the form takes it over, unless something was typed. */
  initial: Values
  /** The version of what the server has, where a change names the version it was made to. */
  version?: Version
  check?: (values: Values) => FieldErrors<Values>
}

type Options<Values, Saved, Version> = Given<Values, Version> & {
  send: (values: Values, base: { changes: Partial<Values>; version: Version }) => Promise<Saved>
  /** What the server has after it, where that is more than what was sent; it is taken over at once. */
  kept?: (saved: Saved) => Base<Values, Version>
  onSaved?: (saved: Saved) => unknown
  /** What is as the server has it is not sent again: Enter sends a form also while its button is not shown. */
  onlyChanges?: boolean
  /** The field that a refusal is about, and what is said there. Any other is the form's `failure`. */
  place?: (error: Error) => FieldErrors<Values> | undefined
}

/**
 * A form: its values, what is wrong with them, and the way to the server. Errors are found when it is sent, in a field that
 * is left, and by the server; the first one gets the focus. An error is not looked for while somebody types, but a mended
 * one goes.
 */
export function useForm<Values extends object, Saved, Version = undefined>(options: Options<Values, Saved, Version>) {
  const { send, kept, onSaved, onlyChanges, place } = options
  const typed = useTyped(options)
  const { values, base, version, changes, isChanged, failure, show } = typed
  const sending = useMutation({
    mutationFn: (sent: Base<Values, Version>) => send(sent.values, { changes, version: sent.version }),
    onSuccess: (saved, sent) => {
      typed.setBase(sent)
      if (kept) typed.takeOver(kept(saved), sent.values)
      return onSaved?.(saved)
    },
    onError: (error) => {
      const found = place?.(error)
      show(found ?? {}, found ? undefined : error)
    },
  })
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (sending.isPending) return
    const found = typed.check()
    show(found)
    if (firstWrong(found) !== undefined || (onlyChanges && !isChanged)) return
    sending.mutate({ values, version: base.version })
  }
  return {
    values,
    base,
    changes,
    isChanged,
    errors: typed.errors,
    failure,
    isSending: sending.isPending,
    /** Whether it was saved, until something is changed again. */
    isSaved: sending.isSuccess && !isChanged,
    set: typed.set,
    reset: typed.reset,
    /** Something else that was done here has changed what the server has; what was typed stays. */
    takeOver: (now: Base<Values, Version>) => typed.takeOver(now, base.values),
    submit,
    /** Props of the form element. */
    form: { ref: typed.element, id: useId(), noValidate: true, onSubmit: submit } as const,
    /** Props of the field of a text. */
    field: typed.field,
    /** Somebody else has saved meanwhile: take over what they did, or save this all the same. */
    conflict: failure instanceof ApiError &&
      failure.status === 409 &&
      version !== base.version && {
        takeTheirs: () => typed.reset(),
        saveMine: () => {
          show({})
          sending.mutate({ values, version })
        },
      },
  }
}

/** What is typed, compared with what the server has, and what is wrong with it. */
function useTyped<Values extends object, Version>({
  initial,
  version: given,
  check = () => ({}),
}: Given<Values, Version>) {
  const version = given as Version // which is undefined where there is none
  const [base, setBase] = useState<Base<Values, Version>>({ values: initial, version })
  const [values, setValues] = useState(initial)
  const [errors, setErrors] = useState<FieldErrors<Values>>({})
  const [failure, setFailure] = useState<Error>()
  const element = useRef<HTMLFormElement>(null)
  const changes = changesOf(base.values, values)
  const isChanged = Object.keys(changes).length > 0
  const show = (found: FieldErrors<Values>, other?: Error) => {
    setErrors(found)
    setFailure(other)
    const first = firstWrong(found)
    if (first) element.current?.querySelector<HTMLElement>(`[name="${CSS.escape(first)}"]`)?.focus()
  }
  const reset = (to: Values = initial) => {
    setBase({ values: to, version })
    setValues(to)
    show({})
  }
  /** What was typed since it was sent stays. */
  const takeOver = (now: Base<Values, Version>, sent: Values) => {
    setBase(now)
    setValues((typed) => ({ ...now.values, ...changesOf(sent, typed) }))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when what the server has changes
  useEffect(() => {
    const isNew = version !== base.version || !isSame(initial, base.values)
    if (isNew && !isChanged) reset() // not at first: it would undo what a field proposes as soon as it is shown
  }, [JSON.stringify(initial), version])
  const recheck = (name: keyof Values, typed: Values) =>
    setErrors((found) => ({ ...found, [name]: check(typed)[name] }))
  const set = (change: Partial<Values>) => {
    const typed = { ...values, ...change }
    setValues(typed)
    setFailure(undefined)
    for (const name of Object.keys(change) as (keyof Values)[]) if (errors[name]) recheck(name, typed)
  }
  const field = (name: keyof Values & string) => ({
    name,
    value: String(values[name]),
    error: errors[name],
    onChange: (event: { target: { value: string } }) => set({ [name]: event.target.value } as Partial<Values>),
    onBlur: () => {
      // An error that stands there is of this very value, and may be the server's, which a check would not find.
      if (values[name] !== '' && !errors[name]) recheck(name, values)
    },
  })
  return {
    ...{ values, base, version, changes, isChanged, errors, failure, element },
    ...{ setBase, takeOver, set, reset, show, field, check: () => check(values) },
  }
}

function firstWrong(errors: object): string | undefined {
  return Object.entries(errors).find(([, error]) => error)?.[0]
}

function changesOf<Values extends object>(base: Values, values: Values): Partial<Values> {
  const names = Object.keys(values) as (keyof Values)[]
  const changed = names.filter((name) => !isSame(values[name], base[name]))
  return Object.fromEntries(changed.map((name) => [name, values[name]])) as Partial<Values>
}

/** Spaces around a text are no change: they are not kept. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one === 'string' && typeof other === 'string') return one.trim() === other.trim()
  return JSON.stringify(one) === JSON.stringify(other)
}
