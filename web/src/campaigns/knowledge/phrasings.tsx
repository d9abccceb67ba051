import X from 'lucide-react/icons/x'
import { useState } from 'react'
import { AddLine } from '../../ui/add-line.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { entryWords as words } from '../words.ts'

const most = 20

/** The wordings of a question, and a line for another one, which Enter or leaving it adds. */
export function Phrasings({ questions, onChange }: { questions: string[]; onChange: (questions: string[]) => void }) {
  const [added, setAdded] = useState('')
  const add = () => {
    if (added.trim() === '') return
    onChange([...questions.filter((text) => text.trim() !== ''), added.trim()])
    setAdded('')
  }
  return (
    <fieldset className="entry-phrasings stack">
      <div className="row between">
        <legend className="label">{words.ways}</legend>
        <span className="small faint">{words.waysCount(questions.length)}</span>
      </div>
      {questions.map((question, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place; its text changes with every letter
        <div className="entry-phrasing" key={n}>
          <input
            className="input input-sm"
            aria-label={words.phrasing(n + 1)}
            value={question}
            dir="auto"
            maxLength={512}
            onChange={(event) => onChange(questions.with(n, event.target.value))}
          />
          <IconButton
            label={words.removePhrasing(n + 1)}
            small
            onClick={() => onChange(questions.filter((_, place) => place !== n))}
          >
            <X className="i i-14" />
          </IconButton>
        </div>
      ))}
      {questions.length < most && (
        <div className="entry-phrasing">
          <AddLine
            label={words.newPhrasing}
            placeholder={words.anotherWay}
            value={added}
            maxLength={512}
            onText={setAdded}
            onAdd={add}
            onBlur={add}
          />
          <span />
        </div>
      )}
    </fieldset>
  )
}
