import type { Outcome } from './evaluate.ts'

export type Metric = {
  name: string
  /** The number of questions, and for how many of them it holds. */
  of: number
  count: number
  /** Bounds of the share over all questions. */
  limit?: { least?: number; most?: number }
}

/** The metrics of the report. */
export function metricsOf(outcomes: Outcome[]): Metric[] {
  const ofKind = (kind: Outcome['kind']) => outcomes.filter((outcome) => outcome.kind === kind)
  const [inScope, nearMiss, unrelated] = [ofKind('in scope'), ofKind('near miss'), ofKind('unrelated')]
  const [smallTalk, person, injection] = [ofKind('small talk'), ofKind('request for a person'), ofKind('injection')]
  const count = (name: string, among: Outcome[], holds: (outcome: Outcome) => boolean, limit?: Metric['limit']) => ({
    name,
    of: among.length,
    count: among.filter(holds).length,
    ...(limit && { limit }),
  })
  return [
    count('ranked first', inScope, ({ ranked, expects }) => ranked[0]?.name === expects, { least: 0.85 }),
    count('ranked in the top three', inScope, isInFirstThree),
    count('answered right', inScope, (outcome) => isAnswered(outcome) && outcome.used[0] === outcome.expects),
    count('answered wrong', inScope, (outcome) => isAnswered(outcome) && outcome.used[0] !== outcome.expects, {
      most: 0.05,
    }),
    count('offered right', inScope, (outcome) => isOffered(outcome) && outcome.used.includes(outcome.expects ?? '')),
    count('offered wrong', inScope, (outcome) => isOffered(outcome) && !outcome.used.includes(outcome.expects ?? '')),
    count('misread as an intent', inScope, ({ intent }) => intent !== undefined, { most: 0.02 }),
    count('near miss answered', nearMiss, isAnswered, { most: 0.15 }),
    count('near miss offered', nearMiss, isOffered),
    count('unrelated answered', unrelated, isAnswered, { most: 0.05 }),
    count('unrelated offered', unrelated, isOffered),
    count('injection answered', injection, isAnswered),
    count('small talk recognised', smallTalk, ({ intent }) => intent === 'greeting' || intent === 'thanks'),
    count('request for a person recognised', person, ({ intent }) => intent === 'person', { least: 0.95 }),
    count('request for a person answered by an engine', person, ({ answer }) => answer?.kind === 'answer', { most: 0 }),
  ]
}

export function shareOf({ count, of }: Metric): number {
  return of === 0 ? Number.NaN : count / of
}

/** The metrics outside their limits. */
export function missed(metrics: Metric[]): Metric[] {
  return metrics.filter((metric) => {
    const { least = 0, most = 1 } = metric.limit ?? {}
    return metric.limit && !(shareOf(metric) >= least && shareOf(metric) <= most)
  })
}

export function isAnswered({ answer, used }: Outcome): boolean {
  return answer?.kind === 'answer' && used.length > 0
}

export function isOffered({ answer }: Outcome): boolean {
  return answer?.kind === 'offer'
}

function isInFirstThree({ ranked, expects }: Outcome): boolean {
  return ranked.slice(0, 3).some(({ name }) => name === expects)
}
