import { asText } from '../bench/table.ts'

export type Figures = {
  longestGapMs: number
  sent: number
  acknowledged: number
  found: number
  /** Messages that are stored more than once. */
  doubled: number
  answers500: number
  /** A queue of the server was full. */
  answers429: number
  /** Refused or broken connections, and timeouts. */
  noAnswer: number
  replies: number
  /** Posts at the receiver beyond the first of each reply. */
  repliesDoubled: number
  /** Of requests to servers that were not killed. */
  p99Ms?: number
  /** Rules that were broken; empty when all hold. */
  broken: string[]
}

export type Result = Figures & { name: string; loadAverage: number; cores: number }

export function print(line: string): void {
  process.stdout.write(`${(performance.now() / 1_000).toFixed(0).padStart(4)} s  ${line}\n`)
}

export function textOf(results: Result[]): string {
  const head = [
    ...['scenario', 'longest gap s', 'sent', 'acknowledged', 'found', 'stored twice', '500', '429', 'no answer'],
    ...['replies', 'doubled', 'p99 of others ms', 'load/cores', 'verdict'],
  ]
  const rows = results.map((result) => [
    result.name,
    (result.longestGapMs / 1_000).toFixed(1),
    ...[result.sent, result.acknowledged, result.found, result.doubled].map(String),
    ...[result.answers500, result.answers429, result.noAnswer, result.replies, result.repliesDoubled].map(String),
    result.p99Ms === undefined ? '–' : result.p99Ms.toFixed(0),
    `${result.loadAverage.toFixed(1)}/${result.cores}`,
    result.broken.length === 0 ? 'passed' : `${result.broken.length} broken`,
  ])
  return asText({ title: 'Cluster', head, rows })
}
