import type { Idle } from './idle/measure-idle.ts'
import type { Result } from './result.ts'
import type { Spread } from './statistics.ts'

export type Verdict = { figure: string; value: string; goal: string; met: boolean }

/** Holds the figures against what we set out to reach. Nothing fails by them: speed is the machine's as much as ours. */
export function compareWithGoals(result: Result): Verdict[] {
  const { rounds, answers, delivery, whole, idle, bot, grants, growth, files } = result
  const { ratios, standings } = rounds
  const verdicts = [
    ...roundVerdicts(rounds),
    atLeast('durable messages / naive design', ratios.naive, 6),
    keptVerdict(rounds.kept.product),
    wholeVerdict(whole),
    ...(idle ? idleVerdicts(idle) : []),
    ...answerVerdicts(answers),
    ...deliveryVerdicts(delivery),
    ...(bot ? botVerdicts(bot) : []),
    ...grantVerdicts(grants),
  ]
  const { steady, sustained } = delivery
  const memory = Math.max(
    ...[standings.product, steady, sustained, growth?.filled].map((measured) => measured?.memoryBytes ?? 0),
  )
  verdicts.push(verdict('memory of the Node process', `${mib(memory)} MiB`, '≤ 250 MB', memory <= 250e6))
  if (growth) {
    const more = growth.filled.postgresMicros / growth.empty.postgresMicros - 1
    const figure = `PostgreSQL CPU a message, ${growth.empty.rows} → ${growth.filled.rows} messages`
    verdicts.push(verdict(figure, percent(more), '≤ +15 %', more <= 0.15))
  }
  if (files) {
    const stored = files.uploads.statuses[200] ?? 0
    const figure = `of ${files.files} files of ${mib(files.fileBytes)} MiB at once, stored`
    verdicts.push(verdict(figure, String(stored), String(files.files), stored === files.files))
  }
  return verdicts
}

function verdict(figure: string, value: string, goal: string, met: boolean): Verdict {
  return { figure, value, goal, met }
}

function roundVerdicts({ figures }: Result['rounds']): Verdict[] {
  const { nodeOfNoop, postgresOfInsert, ofBound } = figures.names
  return [
    atMost("Node's CPU of a durable message / of the product no-op", nodeOfNoop, 1.35),
    atMost("PostgreSQL's CPU of it / of a row of a plain insert", postgresOfInsert, 1.8),
    atLeast('messages a second / what their CPU allows', ofBound, 0.9),
  ]
}

function atLeast(figure: string, ratio: Spread, goal: number): Verdict {
  return verdict(figure, spreadWords(ratio, Math.floor), `≥ ${goal}`, ratio.median >= goal)
}

function atMost(figure: string, ratio: Spread, goal: number): Verdict {
  return verdict(figure, spreadWords(ratio, Math.ceil), `≤ ${goal}`, ratio.median <= goal)
}

/** Not rounded towards the goal: 0.849 must not read as if it had reached 0.85. */
function spreadWords({ median, min, max }: Spread, round: (value: number) => number): string {
  const [middle, low, high] = [median, min, max].map((value) => (round(value * 100) / 100).toFixed(2))
  return `${middle} (${low}–${high})`
}

function keptVerdict({ acknowledged, kept }: Result['rounds']['kept']['product']): Verdict {
  return verdict('messages in the database / acknowledged', `${kept} / ${acknowledged}`, 'equal', kept === acknowledged)
}

function answerVerdicts(answers: Result['answers']): Verdict[] {
  const cost = ({ nodeMicros, postgresMicros }: { nodeMicros: number; postgresMicros: number }) =>
    nodeMicros + postgresMicros
  const accepted = answers.find(({ kind }) => kind === 'plain')
  if (!accepted) return []
  return answers
    .filter(({ kind }) => kind !== 'plain')
    .map((answer) =>
      verdict(
        `CPU of a request: ${answer.kind} (${answer.status})`,
        `${cost(answer).toFixed(0)} µs`,
        `< ${cost(accepted).toFixed(0)} µs, an accepted one`,
        cost(answer) < cost(accepted),
      ),
    )
}

/** What a processor without cheap TLS can do is less. */
const leastDelivered = process.arch === 'arm64' ? 2_700 : 3_500

function deliveryVerdicts({ steady, sustained, tally }: Result['delivery']): Verdict[] {
  const worst = Math.max(...steady.stretchP99s)
  const rate = sustained.perSecond.median
  const once = tally.arrivedOnce === tally.sent && tally.strange === 0
  const left = sustained.left === 0 ? 'nothing left' : `${sustained.left} LEFT`
  const goal = `≥ ${leastDelivered}/s, nothing left`
  return [
    verdict(
      `a message out, due → read by its receiver, p99 at ${steady.requestsPerSecond}/s, worst of every 5 s`,
      `${worst.toFixed(1)} ms`,
      '≤ 20 ms',
      worst <= 20,
    ),
    verdict('events that arrived exactly once / accepted', `${tally.arrivedOnce} / ${tally.sent}`, 'equal', once),
    verdict(
      'messages accepted and delivered, sustained',
      `${rate.toFixed(0)}/s, ${left}`,
      goal,
      rate >= leastDelivered && sustained.left === 0,
    ),
    verdict(
      "Node's CPU of a message out, sustained",
      `${Math.ceil(sustained.nodeMicros)} µs`,
      '≤ 200 µs',
      sustained.nodeMicros <= 200,
    ),
  ]
}

function wholeVerdict({ ratio }: Result['whole']): Verdict {
  return atMost('CPU of a message with all that follows / before its answer', ratio, 1.8)
}

/** The most that each of the idle servers may take, in the order in which they are measured. */
const mostIdleMs = [10, 20]

function idleVerdicts({ servers }: Idle): Verdict[] {
  return servers.map(({ accounts, nodeMs, postgresMs }, n) => {
    const [ms, most] = [nodeMs + postgresMs, mostIdleMs[n] ?? 0]
    const figure = `CPU of an idle server with ${accounts} account${accounts === 1 ? '' : 's'}`
    return verdict(figure, `${ms.toFixed(1)} ms a second`, `≤ ${most}`, ms <= most)
  })
}

function botVerdicts(bot: NonNullable<Result['bot']>): Verdict[] {
  const { turnsPerSecond, engine, stallMs, ingestShare, repeated, different } = bot
  const figure = `the built-in engine, p95 at ${turnsPerSecond} turns a second`
  return [
    verdict(figure, `${engine.p95.toFixed(0)} ms`, '≤ 150 ms', engine.p95 <= 150),
    verdict('event loop held up meanwhile', `${stallMs.max.toFixed(1)} ms`, '≤ 20 ms', stallMs.max <= 20),
    verdict('messages in while answers are owed / bot off', ingestShare.toFixed(2), '≥ 0.8', ingestShare >= 0.8),
    verdict('answers a second', repeated.perSecond.toFixed(0), '≥ 150', repeated.perSecond >= 150),
    verdict(
      'answers a second, all questions different',
      different.perSecond.toFixed(0),
      '≥ 150',
      different.perSecond >= 150,
    ),
  ]
}

function grantVerdicts({ spread, one, granted, written, breaches }: Result['grants']): Verdict[] {
  const rate = (figure: string, { perSecond }: typeof spread, goal: number) =>
    verdict(figure, `${perSecond.median.toFixed(0)}/s`, `≥ ${goal}/s`, perSecond.median >= goal)
  const isExact = written === granted && breaches === 0
  const value = `${written} / ${granted}, ${breaches === 0 ? 'and all adds up' : `${breaches} BREACHES`}`
  return [
    rate('grants, spread over 100 sub-accounts', spread, 2_000),
    rate('grants, all to one sub-account', one, 800),
    verdict('movements in the ledger / grants answered', value, 'equal, and all adds up', isExact),
  ]
}

export function mib(bytes: number): string {
  return Number.isNaN(bytes) ? '–' : (bytes / 2 ** 20).toFixed(0)
}

function percent(share: number): string {
  return `${share >= 0 ? '+' : '−'}${Math.abs(share * 100).toFixed(0)} %`
}
