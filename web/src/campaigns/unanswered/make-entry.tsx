import type { UnansweredGroup } from '@patchbay/contract/app/knowledge.ts'
import { call } from '../../data/api.ts'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/check.tsx'
import { Failed } from '../../ui/failed.tsx'
import { TextField } from '../../ui/field.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { useForm } from '../../ui/use-form.ts'
import { changeAndTell, refreshKnowledge } from '../knowledge-changes.ts'
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
  const form = useForm({
    initial: { answer: '', questions: all },
    check: ({ answer, questions }) => ({
      answer: answer.trim() === '' && entryWords.answerMissing,
      questions: questions.length === 0 && words.tickOne,
    }),
    send: ({ answer, questions }) =>
      changeAndTell(campaignId, () =>
        call('POST /api/campaigns/:campaignId/entries', {
          params: { campaignId },
          body: { questions, answer: answer.trim(), handsOver: false, isOn: true },
        }),
      ),
    onSaved: () => {
      refreshKnowledge()
      onDone()
    },
  })
  return (
    <form
      {...form.form}
      className="stack stack-3 group-row-entry"
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone()
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) form.submit()
      }}
    >
      <Ticks all={all} ticked={form.values.questions} onTick={(questions) => form.set({ questions })} />
      <TextField
        label={words.answer}
        autoFocus
        rows={2}
        dir="auto"
        maxLength={4000}
        placeholder={words.answerHint}
        {...form.field('answer')}
      />
      {form.errors.questions && (
        <p className="fail" role="alert">
          {form.errors.questions}
        </p>
      )}
      <Failed error={form.failure} />
      <div className="row wrap">
        <Button look="primary" size="sm" type="submit" busy={form.isSending && words.making}>
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
    <fieldset className="stack group-row-phrasings" aria-label={words.phrasings}>
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
