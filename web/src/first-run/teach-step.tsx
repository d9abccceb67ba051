import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { call } from '../data/api.ts'
import { queryClient, read } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Field, TextField } from '../ui/field.tsx'
import { Step } from './step.tsx'
import { currentStep } from './steps.ts'
import { firstRunWords as words } from './words.ts'

export function TeachStep({ steps, isOwner }: { steps: FirstRun; isOwner: boolean }) {
  return (
    <Step steps={steps} name="teach" at={steps.taught?.at}>
      {steps.taught ? (
        <p>
          <bdi>{words.said(steps.taught.question)}</bdi> <Link to="/campaigns">{words.teachMore}</Link>
        </p>
      ) : isOwner ? (
        <TeachForm isCurrent={currentStep(steps) === 'teach'} />
      ) : (
        <p className="muted">{words.ownerOnly}</p>
      )}
    </Step>
  )
}

function TeachForm({ isCurrent }: { isCurrent: boolean }) {
  const [question, setQuestion] = useState<string>(words.questionExample)
  const [answer, setAnswer] = useState('')
  const [isChecked, setChecked] = useState(false)
  const teach = useMutation({
    mutationFn: () => call('POST /api/first-run/entry', { body: { question, answer } }),
    onSuccess: (taught) => queryClient.setQueryData(read('GET /api/first-run').queryKey, taught),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (question.trim() !== '' && answer.trim() !== '') teach.mutate()
  }
  const missing = (text: string, says: string) => (isChecked && text.trim() === '' ? says : undefined)
  return (
    <>
      <p className="muted">{words.teachSays}</p>
      <form className="stack stack-3" onSubmit={submit} noValidate>
        <Field
          label={words.question}
          maxLength={limits.nameCharacters}
          value={question}
          error={missing(question, words.questionMissing)}
          onChange={(event) => setQuestion(event.target.value)}
        />
        <TextField
          label={words.answer}
          rows={2}
          maxLength={limits.sayingCharacters}
          placeholder={words.answerExample}
          value={answer}
          error={missing(answer, words.answerMissing) ?? (teach.error ? sayError(teach.error).title : undefined)}
          onChange={(event) => setAnswer(event.target.value)}
        />
        <div>
          <Button type="submit" look={isCurrent ? 'primary' : 'outline'} busy={teach.isPending && words.adding}>
            {words.add}
          </Button>
        </div>
      </form>
    </>
  )
}
