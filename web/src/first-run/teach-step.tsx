import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { Link } from '@tanstack/react-router'
import { call } from '../data/api.ts'
import { queryClient, read } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Field, TextField } from '../ui/field.tsx'
import { StepLine } from '../ui/step.tsx'
import { useForm } from '../ui/use-form.ts'
import { firstRunWords as words } from './words.ts'

type Props = { steps: FirstRun; isOwner: boolean; n: number; isCurrent: boolean }

export function TeachStep({ steps, isOwner, n, isCurrent }: Props) {
  const isDone = steps.taught !== null
  return (
    <StepLine
      n={n}
      title={isDone ? words.teachDone : words.teach}
      at={steps.taught?.at}
      isDone={isDone}
      isCurrent={isCurrent}
    >
      {steps.taught ? (
        <p>
          <bdi>{words.said(steps.taught.question)}</bdi> <Link to="/campaigns">{words.teachMore}</Link>
        </p>
      ) : isOwner ? (
        <TeachForm isCurrent={isCurrent} />
      ) : (
        <p className="muted">{words.ownerOnly}</p>
      )}
    </StepLine>
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
