import type { TestAnswer } from '@patchbay/contract/app/knowledge.ts'
import { Meter } from '../../ui/meter.tsx'
import { testChatWords as words } from '../words.ts'

type Props = {
  answer: TestAnswer
  thresholds: { offerThreshold: number; answerThreshold: number }
  /** Whether answers cost credits in this account. */
  isPaid: boolean
}

/** What was decided and why, with the scores of the nearest entries on the scale of the thresholds. */
export function Decision({ answer, thresholds, isPaid }: Props) {
  const { decision, reason, credits, scores, sources, engine, model } = answer
  const isUsed = (entryId: string) => sources.includes(entryId) && (decision === 'answer' || decision === 'handover')
  // A language model may use one that is not among the nearest.
  const shown = scores.filter(({ entryId }, at) => at < 3 || isUsed(entryId))
  return (
    <div className="test-chat-decision">
      <p className="row wrap">
        <b className="strong">{words.decision[decision]}</b>
        <span className="small muted">
          {reason}
          {isPaid && ` · ${words.credits(credits)}`}
          {engine !== 'builtin' && engine !== 'rule' && ` · ${engine} ${model ?? ''}`}
        </span>
      </p>
      {shown.map(({ entryId, question, score }) => (
        <div className="test-chat-score" key={entryId}>
          <span className="cut small">
            <bdi>{question}</bdi>
            {isUsed(entryId) && <span className="faint"> · {words.source}</span>}
          </span>
          <Meter score={score} offer={thresholds.offerThreshold} answer={thresholds.answerThreshold} />
          <span className="mono small">{score.toFixed(2)}</span>
        </div>
      ))}
    </div>
  )
}
