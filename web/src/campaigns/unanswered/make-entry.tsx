import type { UnansweredGroup } from '@patchbay/contract/app/knowledge.ts'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../data/api.ts'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/check.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { TextField } from '../../ui/field.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { changeAndTell, refreshKnowledge } from '../taught.ts'
import { campaignWords, entryWords, unansweredWords as words } from '../words.ts'

const mostPhrasings = 20

/** Opens in the group, with its phrasings ticked: only the answer is left to write. */
export function MakeEntry({
  campaignId,
  group,
  onDone,
}: {
  campaignId: string
  group: UnansweredGroup
  onDone: () => void
}) {
  const all = group.questions.map(({ question }) => question).slice(0, mostPhrasings)
  const [ticked, setTicked] = useState<readonly string[]>(all)
  const [answer, setAnswer] = useState('')
  const [isChecked, setChecked] = useState(false)
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => area.current?.focus(), [])
  const make = useMutation({
    mutationFn: () =>
      changeAndTell(campaignId, () =>
        call('POST /api/campaigns/:campaignId/entries', {
          params: { campaignId },
          body: { questions: [...ticked], answer: answer.trim(), handsOver: false, isOn: true },
        }),
      ),
    onSuccess: () => {
      refreshKnowledge()
      onDone()
    },
  })
  const submit = () => {
    setChecked(true)
    if (ticked.length > 0 && answer.trim() !== '' && !make.isPending) make.mutate()
  }
  const problem = make.error ? `${sayError(make.error).title} ${sayError(make.error).hint}` : undefined
  return (
    <form
      className="stack stack-3 make-entry"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone()
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit()
      }}
    >
      <Ticks all={all} ticked={ticked} onTick={setTicked} />
      <TextField
        ref={area}
        label={words.answer}
        rows={2}
        dir="auto"
        maxLength={4000}
        placeholder={words.answerHint}
        value={answer}
        error={isChecked && answer.trim() === '' ? entryWords.answerMissing : undefined}
        onChange={(event) => setAnswer(event.target.value)}
      />
      {(problem || (isChecked && ticked.length === 0)) && (
        <p className="fail" role="alert">
          {problem ?? words.tickOne}
        </p>
      )}
      <div className="row wrap">
        <Button look="primary" size="sm" type="submit" busy={make.isPending && words.making}>
          {words.makeIt} <Kbd press="Mod+Enter" className="only-wide" />
        </Button>
        <Button size="sm" look="quiet" onClick={onDone}>
          {campaignWords.cancel}
        </Button>
      </div>
    </form>
  )
}

type TicksProps = { all: readonly string[]; ticked: readonly string[]; onTick: (ticked: string[]) => void }

function Ticks({ all, ticked, onTick }: TicksProps) {
  return (
    <fieldset className="stack make-phrasings" aria-label={words.phrasings}>
      {all.map((question) => (
        <Check
          key={question}
          checked={ticked.includes(question)}
          onChange={({ target }) =>
            onTick(all.filter((one) => (one === question ? target.checked : ticked.includes(one))))
          }
        >
          <bdi>{question}</bdi>
        </Check>
      ))}
    </fieldset>
  )
}
