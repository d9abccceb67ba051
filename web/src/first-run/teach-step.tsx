import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { Link } from '@tanstack/react-router'
import { call } from '../data/api.ts'
import { queryClient, read } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Field, TextField } from '../ui/field.tsx'
import { useForm } from '../ui/use-form.ts'
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
  const form = useForm({
    initial: { question: words.questionExample as string, answer: '' },
    check: ({ question, answer }) => ({
      question: question.trim() === '' && words.questionMissing,
      answer: answer.trim() === '' && words.answerMissing,
    }),
    send: (body) => call('POST /api/first-run/entry', { body }),
    onSaved: (firstRun) => queryClient.setQueryData(read('GET /api/first-run').queryKey, firstRun),
    place: (error) => ({ answer: sayError(error).title }),
  })
  return (
    <>
      <p className="muted">{words.teachSays}</p>
      <form {...form.form} className="stack stack-3">
        <Field label={words.question} maxLength={limits.nameCharacters} {...form.field('question')} />
        <TextField
          label={words.answer}
          rows={2}
          maxLength={limits.sayingCharacters}
          placeholder={words.answerExample}
          {...form.field('answer')}
        />
        <div>
          <Button type="submit" look={isCurrent ? 'primary' : 'outline'} busy={form.isSending && words.adding}>
            {words.add}
          </Button>
        </div>
      </form>
    </>
  )
}
