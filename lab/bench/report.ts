import { compareWithGoals, mib } from './goals.ts'
import { idleTable } from './idle/report.ts'
import { journeyCpu } from './journey/cpu.ts'
import { journeyTable } from './journey/report.ts'
import { messageTraffic } from './load/traffic.ts'
import type { Result } from './result.ts'
import { comparedNames } from './servers/start.ts'
import type { Latency, Spread } from './statistics.ts'
import { asMarkdown, asText, type Table } from './table.ts'

export function textReport(result: Result): string {
  return [machineLine(result), '', ...tables(result).map(asText)].join('\n')
}

export function markdownReport(result: Result, charts: string[]): string {
  const heading = `# Benchmark on ${result.machine.cpu}, ${result.startedAt.slice(0, 10)}`
  const pictures = charts.flatMap((file) => [`![Chart](${file})`, ''])
  return [heading, '', machineLine(result), '', ...pictures, ...tables(result).map(asMarkdown)].join('\n')
}

function machineLine({ machine, settings }: Result): string {
  const { cores, cpu, memoryGiB, node, postgres, kernel } = machine
  const { connections, rounds, secondsPerTurn } = settings
  return [
    `${cores} cores (${cpu}), ${memoryGiB} GiB, Node ${node}, PostgreSQL ${postgres}, ${kernel}.`,
    `Load generator, server and database share the machine. HTTPS, keep-alive, ${connections} connections,`,
    `bodies of 300 bytes, and names besides; ${rounds} rounds, ${secondsPerTurn} s for each server in each.`,
  ].join('\n')
}

function tables(result: Result): Table[] {
  const { idle, bot, journey, growth, files } = result
  return [
    goalTable(result),
    serverTable(result),
    figureTable(result),
    wholeTable(result),
    ...(idle ? [idleTable(idle)] : []),
    answerTable(result),
    deliveryTable(result),
    ...(bot ? [botTable(bot)] : []),
    ...(journey ? [journeyTable(journey, journeyCpu(result))] : []),
    grantTable(result),
    ...(growth ? [growthTable(growth)] : []),
    ...(files ? [filesTable(files)] : []),
    ...surpriseTable(result),
  ]
}

function goalTable(result: Result): Table {
  const rows = compareWithGoals(result).map(({ figure, value, goal, met }) => [
    figure,
    value,
    goal,
    met ? 'met' : 'NOT MET',
  ])
  return {
    title: 'Goals',
    note: 'Ratios are computed round by round: median (min–max).',
    head: ['figure', 'measured', 'goal', ''],
    rows,
  }
}

function serverTable({ rounds }: Result): Table {
  const { plain, new: ofNew, owed } = rounds.others
  const standings: [string, typeof plain][] = [
    ...comparedNames.map((name): [string, typeof plain] => [name, rounds.standings[name]]),
    ['product, no names', plain],
    ['product, one in five new', ofNew],
    ['product, answers owed', owed],
  ]
  const rows = standings.map(([name, { requestsPerSecond, latencyMs, ...costs }]) => {
    const { nodeMicros, postgresMicros, memoryBytes, clientShare, othersShare } = costs
    const { median, min, max } = requestsPerSecond
    return [
      name,
      whole(median),
      `${whole(min)}–${whole(max)}`,
      ...latencyCells(latencyMs),
      whole(nodeMicros),
      whole(postgresMicros),
      whole(costs.clientMicros),
      mib(memoryBytes),
      `${whole(clientShare * 100)} %`,
      `${whole(othersShare * 100)} %`,
    ]
  })
  const costHeads = ['Node µs', 'PostgreSQL µs', 'client µs', 'MiB', 'client', 'others']
  return {
    title: 'Servers',
    note: 'Every message has names, of contacts that have them already, unless a row says otherwise. CPU in microseconds a request; memory of the Node process; how busy the load generator kept its one core, and what share of the machine went to programs that have no part in this.',
    head: ['', 'req/s', 'min–max', 'p50 ms', 'p90 ms', 'p99 ms', ...costHeads],
    rows,
  }
}

/** The traffic that the goals are for comes first. */
const trafficWords = {
  names: 'names in every message',
  plain: 'no names',
  new: 'names, one message in five of a new contact',
  owed: 'names, an answer owed to each',
}

function figureTable({ rounds }: Result): Table {
  const { batchRows, rowsPerSecond, postgresMicros } = rounds.insert
  const ratio = ({ median, min, max }: Spread) => `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`
  return {
    title: 'Figures that mean the same everywhere',
    note: `Node: CPU of a message, of that of the product no-op. PostgreSQL: CPU of a message, of that of a row of a plain insert in batches of ${whole(batchRows.min)} to ${whole(batchRows.max)}, the size of the product's; such a row takes ${postgresMicros.toFixed(1)} µs, and one connection inserts ${whole(rowsPerSecond.median)} a second. Of the bound: messages a second, of min(1/Node, cores/(Node + PostgreSQL + client)).`,
    head: ['', 'Node', 'PostgreSQL', 'of the bound'],
    rows: messageTraffic.map((traffic) => {
      const { nodeOfNoop, postgresOfInsert, ofBound } = rounds.figures[traffic]
      return [trafficWords[traffic], ratio(nodeOfNoop), ratio(postgresOfInsert), ratio(ofBound)]
    }),
  }
}

function wholeTable({ whole: measured }: Result): Table {
  const { messages, before, later, caughtUpMs, behind, nodeRatio, postgresRatio } = measured
  const names = [...new Set([...Object.keys(before.pools), ...Object.keys(later.pools)])].toSorted()
  const row = (name: string, [first, last]: [number, number]) => [
    name,
    ...[first, last, first + last].map((micros) => micros.toFixed(1)),
  ]
  const done =
    behind === 0 ? `${(caughtUpMs / 1_000).toFixed(1)} s after the last answer` : `NOT YET WHEN WE STOPPED TO WAIT`
  return {
    title: 'The whole cost of a message',
    note: `Microseconds of CPU a message, of ${whole(messages)} that came in bursts: until the last was answered, and from then on until all were searchable and counted (${done}) and alerts had been looked for, without what an idle server takes in that time. Nobody has the app open. The whole is ${nodeRatio.median.toFixed(2)} times the first in Node and ${postgresRatio.median.toFixed(2)} times in PostgreSQL. What the server does of it while messages still come counts as before the answer; in PostgreSQL the pool tells it apart.`,
    head: ['', 'until the answer', 'later', 'whole'],
    rows: [
      row('Node', [before.node, later.node]),
      row('PostgreSQL', [before.postgres, later.postgres]),
      ...names.map((name) => row(`PostgreSQL: ${name}`, [before.pools[name] ?? 0, later.pools[name] ?? 0])),
    ],
  }
}

function answerTable({ answers }: Result): Table {
  const rows = answers.map(({ kind, status, requestsPerSecond, nodeMicros, postgresMicros }) => [
    `${kind} (${status})`,
    whole(requestsPerSecond.median),
    `${whole(requestsPerSecond.min)}–${whole(requestsPerSecond.max)}`,
    whole(nodeMicros),
    whole(postgresMicros),
    whole(nodeMicros + postgresMicros),
  ])
  return {
    title: 'What each answer of the product costs',
    head: ['', 'req/s', 'min–max', 'Node µs', 'PostgreSQL µs', 'together µs'],
    rows,
  }
}

function deliveryTable({ delivery, rounds, settings }: Result): Table {
  const { receivers, steady, sustained, acceptedOnly, share, barePost } = delivery
  const least = rounds.standings.productNoop.nodeMicros + barePost.nodeMicros
  const ofLeast = `In Node it costs ${(sustained.nodeMicros / least).toFixed(2)} of a product no-op and one bare post together (${whole(least)} µs).`
  const p99s = `p99 of every five seconds at the steady rate: ${steady.stretchP99s.map((ms) => ms.toFixed(1)).join(', ')} ms.`
  const costs = (flow: typeof steady | typeof acceptedOnly) => [
    whole(flow.nodeMicros),
    whole(flow.postgresMicros),
    mib(flow.memoryBytes),
    `${whole(flow.clientShare * 100)} %`,
    `${whole(flow.othersShare * 100)} %`,
  ]
  const rate = ({ median, min, max }: Spread) => [whole(median), `${whole(min)}–${whole(max)}`]
  const { max } = steady.latency
  return {
    title: 'Messages out',
    note: `Sent by ${receivers} accounts, each to a receiver of its own; a message's time is from when it was due until its receiver had read the event. Sustained: ${settings.connections} connections as fast as it goes, messages over the time until the last had arrived; ${whole(sustained.drainedMs)} ms after the last request nothing was left to do. That is ${share.median.toFixed(2)} (${share.min.toFixed(2)}–${share.max.toFixed(2)}) of the rate at which a server accepts them that delivers none. ${ofLeast} ${p99s}`,
    head: ['', 'msg/s', 'min–max', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms', ...costHead],
    rows: [
      [
        'steady',
        whole(steady.requestsPerSecond),
        '',
        ...latencyCells(steady.latency),
        max.toFixed(1),
        ...costs(steady),
      ],
      ['sustained', ...rate(sustained.perSecond), '', '', '', '', ...costs(sustained)],
      ['accepted only', ...rate(acceptedOnly.perSecond), '', '', '', '', ...costs(acceptedOnly)],
      ['a bare post', ...rate(barePost.perSecond), '', '', '', '', whole(barePost.nodeMicros), '', '', '', ''],
    ],
  }
}

const costHead = ['Node µs', 'PostgreSQL µs', 'MiB', 'client', 'others']

function botTable(bot: NonNullable<Result['bot']>): Table {
  const row = (name: string, { p50, p95, max }: typeof bot.engine) => [
    name,
    ...[p50, p95, max].map((ms) => ms.toFixed(0)),
  ]
  return {
    title: 'The built-in bot',
    note: `${bot.turns} questions of as many contacts, ${bot.turnsPerSecond} a second. Meanwhile the event loop was held up for ${bot.stallMs.max.toFixed(1)} ms at most (p99 ${bot.stallMs.p99.toFixed(1)} ms); the process with the model in it has ${mib(bot.memoryBytes)} MiB. After messages as fast as they were taken, all with the same text, ${bot.repeated.perSecond.toFixed(0)} answers a second were given (${bot.repeated.cpu.node.toFixed(0)} µs of Node and ${bot.repeated.cpu.postgres.toFixed(0)} of PostgreSQL each); ${bot.different.perSecond.toFixed(0)} to questions of which no two are the same (${bot.different.cpu.node.toFixed(0)} and ${bot.different.cpu.postgres.toFixed(0)}).`,
    head: ['milliseconds', 'p50', 'p95', 'max'],
    rows: [row('the engine', bot.engine), row('due → kept', bot.untilKept)],
  }
}

function grantTable({ grants, settings }: Result): Table {
  const row = (name: string, flow: typeof grants.spread) => [
    name,
    whole(flow.perSecond.median),
    `${whole(flow.perSecond.min)}–${whole(flow.perSecond.max)}`,
    ...latencyCells(flow.latency),
    whole(flow.nodeMicros),
    whole(flow.postgresMicros),
  ]
  return {
    title: 'Grants of credits',
    note: `${settings.connections} connections as fast as it goes, each grant answered with the balance that it left.`,
    head: ['', 'grants/s', 'min–max', 'p50 ms', 'p90 ms', 'p99 ms', 'Node µs', 'PostgreSQL µs'],
    rows: [row('spread over 100 sub-accounts', grants.spread), row('all to one', grants.one)],
  }
}

function growthTable({ empty, filled }: NonNullable<Result['growth']>): Table {
  const rows = [empty, filled].map((point) => [
    whole(point.rows),
    whole(point.requestsPerSecond),
    whole(point.nodeMicros),
    whole(point.postgresMicros),
    whole(point.walBytes),
    point.walPages.toFixed(2),
    mib(point.memoryBytes),
  ])
  return {
    title: 'Growth',
    note: 'Whole pages are those written to the log because they changed for the first time after a checkpoint.',
    head: ['messages kept', 'req/s', 'Node µs', 'PostgreSQL µs', 'log bytes a message', 'whole pages a message', 'MiB'],
    rows,
  }
}

function filesTable(measured: NonNullable<Result['files']>): Table {
  const { files, fileBytes, uploads, alone, beside, peakMemoryBytes } = measured
  return {
    title: 'Large files beside small messages',
    note: `${files} files of ${mib(fileBytes)} MiB at once, answered ${counted(uploads.statuses)} within ${uploads.seconds.toFixed(1)} s; peak memory of the Node process ${mib(peakMemoryBytes)} MiB. Small messages: 200 a second.`,
    head: ['small messages', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms'],
    rows: [
      ['alone', ...latencyCells(alone), alone.max.toFixed(1)],
      ['beside the files', ...latencyCells(beside), beside.max.toFixed(1)],
    ],
  }
}

/** Answers that should not have been; their figures then mean little. Absent when there were none. */
function surpriseTable({ rounds, answers, delivery, grants, files }: Result): Table[] {
  const rows = [
    ...Object.entries({ ...rounds.standings, ...rounds.others }).map(([name, one]) => [name, one.surprises.join('; ')]),
    ...answers.map(({ kind, surprises }) => [kind, surprises.join('; ')]),
    ['messages out, steady', delivery.steady.surprises.join('; ')],
    ['messages out, sustained', delivery.sustained.surprises.join('; ')],
    ['messages out, accepted only', delivery.acceptedOnly.surprises.join('; ')],
    ['grants, spread', grants.spread.surprises.join('; ')],
    ['grants to one', grants.one.surprises.join('; ')],
    ['small messages beside files', files?.surprises ?? ''],
  ].filter(([, words]) => words !== '')
  return rows.length === 0 ? [] : [{ title: 'Unexpected answers', head: ['where', 'what'], rows }]
}

function latencyCells({ p50, p90, p99 }: Latency): string[] {
  return [p50, p90, p99].map((ms) => ms.toFixed(1))
}

function counted(statuses: Record<string, number>): string {
  return Object.entries(statuses)
    .map(([status, times]) => `${times} × ${status}`)
    .join(', ')
}

function whole(value: number): string {
  return Number.isNaN(value) ? '–' : Math.round(value).toLocaleString('en-US')
}
