import { type ReactNode, useId, useRef } from 'react'
import { Check } from '../../ui/check.tsx'
import type { useForm } from '../../ui/use-form.ts'
import { entryWords as words } from '../words.ts'
import { Near } from './near.tsx'
import { Phrasings } from './phrasings.tsx'

/** An entry as it is typed, not yet checked. */
export type Draft = { questions: string[]; answer: string; handsOver: boolean; isOn: boolean }

type Form = Pick<ReturnType<typeof useForm<Draft, unknown>>, 'form' | 'field' | 'values' | 'errors' | 'set'>

type Props = {
  campaignId: string
  entryId?: string
  form: Form
  /** The buttons and what is said beside them. */
  children: ReactNode
}

/** The ways people ask at the left, what the bot says at the right. */
export function EntryForm({ campaignId, entryId, form, children }: Props) {
  const { questions, handsOver } = form.values
  return (
    <form {...form.form} className="entry-body">
      <div className="stack">
        <Phrasings questions={questions} onChange={(changed) => form.set({ questions: changed })} />
        <Missing>{form.errors.questions}</Missing>
        <Near campaignId={campaignId} question={questions[0] ?? ''} {...(entryId && { entryId })} />
      </div>
      <div className="stack">
        <Answer form={form} />
        <div className="row wrap small">
          <Check checked={handsOver} onChange={(event) => form.set({ handsOver: event.target.checked })}>
            {words.callPerson}
          </Check>
        </div>
        {children}
      </div>
    </form>
  )
}

const names = ['{{firstName}}', '{{businessName}}']

function Answer({ form }: { form: Form }) {
  const { answer } = form.values
  const { error, ...field } = form.field('answer')
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const insert = (name: string) => {
    const at = area.current?.selectionStart ?? answer.length
    form.set({ answer: answer.slice(0, at) + name + answer.slice(area.current?.selectionEnd ?? at) })
    area.current?.focus()
  }
  return (
    <>
      <div className="row between">
        <label className="label" htmlFor={id}>
          {words.answer}
        </label>
        <span className="small faint mono">{words.answerCount([...answer].length)}</span>
      </div>
      <textarea
        {...field}
        ref={area}
        id={id}
        className="textarea"
        rows={4}
        dir="auto"
        maxLength={4000}
        aria-invalid={error ? true : undefined}
      />
      <Missing>{error}</Missing>
      <div className="row wrap">
        {names.map((name) => (
          <button
            key={name}
            type="button"
            className="tag mono entry-insert"
            aria-label={words.insert(name)}
            onClick={() => insert(name)}
          >
            {name}
          </button>
        ))}
      </div>
    </>
  )
}

function Missing({ children }: { children: ReactNode }) {
  if (!children) return null
  return (
    <p className="error" role="alert">
      {children}
    </p>
  )
}

export function checkEntry(draft: Draft) {
  const { questions, answer } = sentOf(draft)
  return {
    questions: questions.length === 0 && words.questionMissing,
    answer: answer === '' && words.answerMissing,
  }
}

/** The draft as it is sent, without what is empty. */
export function sentOf({ questions, answer, handsOver, isOn }: Draft): Draft {
  const texts = questions.map((text) => text.trim()).filter((text) => text !== '')
  return { questions: texts, answer: answer.trim(), handsOver, isOn }
}
