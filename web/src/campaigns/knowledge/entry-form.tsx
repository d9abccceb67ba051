import { type FormEvent, type ReactNode, useId, useRef } from 'react'
import { Check } from '../../ui/check.tsx'
import { entryWords as words } from '../words.ts'
import { Near } from './near.tsx'
import { Phrasings } from './phrasings.tsx'

/** What is typed; not yet checked. */
export type Draft = { questions: string[]; answer: string; handsOver: boolean; isOn: boolean }

type Props = {
  campaignId: string
  entryId?: string
  draft: Draft
  /** Fields that were found missing on submit. */
  missing: { questions?: boolean; answer?: boolean }
  onChange: (draft: Draft) => void
  onSubmit: () => void
  /** The buttons and what is said beside them. */
  children: ReactNode
}

/** The ways people ask at the left, what the bot says at the right. */
export function EntryForm({ campaignId, entryId, draft, missing, onChange, onSubmit, children }: Props) {
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change })
  return (
    <form
      className="entry-body"
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <div className="stack">
        <Phrasings questions={draft.questions} onChange={(questions) => set({ questions })} />
        {missing.questions && (
          <p className="error" role="alert">
            {words.questionMissing}
          </p>
        )}
        <Near campaignId={campaignId} question={draft.questions[0] ?? ''} {...(entryId && { entryId })} />
      </div>
      <div className="stack">
        <Answer answer={draft.answer} isMissing={missing.answer ?? false} onChange={(answer) => set({ answer })} />
        <div className="row wrap small">
          <Check checked={draft.handsOver} onChange={(event) => set({ handsOver: event.target.checked })}>
            {words.callPerson}
          </Check>
        </div>
        {children}
      </div>
    </form>
  )
}

const names = ['{{firstName}}', '{{businessName}}']

type AnswerProps = { answer: string; isMissing: boolean; onChange: (answer: string) => void }

function Answer({ answer, isMissing, onChange }: AnswerProps) {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const insert = (name: string) => {
    const at = area.current?.selectionStart ?? answer.length
    onChange(answer.slice(0, at) + name + answer.slice(area.current?.selectionEnd ?? at))
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
        ref={area}
        id={id}
        className="textarea"
        rows={4}
        dir="auto"
        maxLength={4000}
        value={answer}
        aria-invalid={isMissing || undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      {isMissing && (
        <p className="error" role="alert">
          {words.answerMissing}
        </p>
      )}
      <div className="row wrap">
        {names.map((name) => (
          <button
            key={name}
            type="button"
            className="tag mono insert"
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

/** The draft as it is sent, without what is empty; what is missing in it. */
export function checkDraft({ questions, answer, ...rest }: Draft) {
  const entry = {
    ...rest,
    questions: questions.map((text) => text.trim()).filter((text) => text !== ''),
    answer: answer.trim(),
  }
  const missing = { questions: entry.questions.length === 0, answer: entry.answer === '' }
  return { entry, missing, isComplete: !missing.questions && !missing.answer }
}
