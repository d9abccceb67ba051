import './why.css'
import type { Answer } from '@patchbay/contract/app/messages.ts'
import { useQuery } from '@tanstack/react-query'
import X from 'lucide-react/icons/x'
import { Fragment } from 'react'
import { read } from '../../data/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { KeyValues } from '../../ui/kv.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { uiWords } from '../../ui/words.ts'
import { inboxWords as words } from '../words.ts'
import { sayDecision, sayEngine, sayRouting } from './why-words.ts'

/** Decision, entries with their scores, campaign and routing, engine, tokens, credits. */
export function Why({ messageId, onClose }: { messageId: string; onClose: () => void }) {
  const { data, error, refetch } = useQuery({
    ...read('GET /api/messages/:messageId/answer', { params: { messageId } }),
    staleTime: Number.POSITIVE_INFINITY, // a decision does not change
  })
  return (
    <div className="why stack stack-3">
      <div className="row between">
        <h3>{words.why}</h3>
        <IconButton label={uiWords.close} small onClick={onClose}>
          <X className="i" />
        </IconButton>
      </div>
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {data ? <Decision answer={data} /> : !error && <WhySkeleton />}
    </div>
  )
}

function Decision({ answer }: { answer: Answer }) {
  const { title, rest } = sayDecision(answer)
  return (
    <>
      <div>
        <b className="strong">{title}</b> <span className="muted">{rest}</span>
      </div>
      {answer.sources.length > 0 && <Sources answer={answer} />}
      <hr className="hr" />
      <KeyValues className="small" lines={factsOf(answer)} />
    </>
  )
}

function Sources({ answer: { sources, thresholds } }: { answer: Answer }) {
  return (
    <>
      <div className="why-score">
        {sources.map(({ entryId, question, score }, index) => (
          <Fragment key={entryId ?? index}>
            <span className={index === 0 ? 'cut' : 'cut muted'} title={question ?? undefined} dir="auto">
              {question ?? words.entryGone}
            </span>
            {score !== null && thresholds ? (
              <Meter score={score} offer={thresholds.offer} answer={thresholds.answer} />
            ) : (
              <span />
            )}
            <span className={index === 0 ? 'mono' : 'mono muted'}>{score?.toFixed(2)}</span>
          </Fragment>
        ))}
      </div>
      {thresholds && (
        <p className="small faint">
          {words.marks(thresholds.offer.toFixed(2), thresholds.answer.toFixed(2), thresholds.margin.toFixed(2))}
        </p>
      )}
    </>
  )
}

function factsOf({ campaign, routing, engine, model, durationMs, inputTokens, outputTokens, credits }: Answer) {
  const version = campaign?.version ? words.version(campaign.version) : undefined
  const about = (parts: (string | null | undefined)[]) => parts.filter(Boolean).join(' · ')
  const withAbout = (main: string, rest: string) => (
    <>
      <bdi>{main}</bdi> {rest !== '' && <span className="faint">{rest}</span>}
    </>
  )
  const took = durationMs === null ? null : words.ms(durationMs)
  const charged = credits === null || Number(credits) === 0 ? words.noCharge : withAbout(credits, `· ${words.charged}`)
  const ran = sayEngine(engine)
  const tokens =
    inputTokens === null && outputTokens === null ? null : words.tokensInOut(inputTokens ?? 0, outputTokens ?? 0)
  return [
    [words.campaign, campaign && withAbout(campaign.name, about([version, sayRouting(routing)]))],
    [
      words.engine,
      ran &&
        withAbout(
          ran,
          ['', engine === 'builtin' ? null : model, took]
            .filter((each) => each !== null)
            .join(' · ')
            .trim(),
        ),
    ],
    [words.tokens, tokens],
    [words.credits, charged],
  ] as const
}

function WhySkeleton() {
  return (
    <Loading>
      <div className="stack">
        <Skeleton width="90%" />
        <Skeleton width="60%" />
        <Skeleton width="100%" height={60} />
      </div>
    </Loading>
  )
}
