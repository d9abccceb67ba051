import { percentilesOf } from '../../common/percentiles.ts'
import type { Table } from '../table.ts'
import type { Replies, Rest, Restart, Settings } from './measured.ts'
import type { Beside } from './messages.ts'

/** Memory of a panel with our own TLS and behind a proxy, of a core for silent ones, a reply, what others have meanwhile, and back after a restart. */
export const goals = { tlsKb: 90, plainKb: 30, idleShare: 0.025, replyMs: 300, besideMs: 1_000, backSeconds: 60 }

type Measured = { before: Rest; silent: Rest; replies: Replies; restart: Restart; open: number }

/** Each row: what, what was measured, the goal, whether it was met. Without a goal it says only what it is. */
export function report({ panels, isPlain, seconds }: Settings, measured: Measured): Table {
  const { silent } = measured
  return {
    title: `${panels} open panels, ${isPlain ? 'behind a proxy that ends TLS' : 'with our own TLS'}`,
    note: `Over ${seconds} s in which nothing is said: ${silent.comments} comments. A reply that is never shown counts as endless.`,
    head: ['', 'measured', 'goal', ''],
    rows: [
      ...silenceRows(measured, { panels, isPlain }),
      ...replyRows(measured.replies),
      ...restartRows(measured.restart, panels),
    ],
  }
}

const fine = (is: boolean) => (is ? 'met' : 'MISSED')
const ms = (value: number) => `${value.toFixed(0)} ms`
const share = (value: number) => `${(value * 100).toFixed(2)} % of a core`
const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`

function silenceRows(
  { before, silent, open }: Measured,
  { panels, isPlain }: Pick<Settings, 'panels' | 'isPlain'>,
): string[][] {
  const eachKb = (silent.bytes - before.bytes) / 1_024 / open
  const mostKb = isPlain ? goals.plainKb : goals.tlsKb
  const node = silent.shares.node - before.shares.node
  const transactions = silent.transactionsPerSecond - before.transactionsPerSecond
  return [
    ['open', String(open), String(panels), fine(open === panels)],
    ['memory of the process without and with them', `${mib(before.bytes)}, ${mib(silent.bytes)}`, '', ''],
    ['memory of each', `${eachKb.toFixed(1)} KB`, `≤ ${mostKb} KB`, fine(eachKb <= mostKb)],
    ['Node while silent, more than without', share(node), `≤ ${share(goals.idleShare)}`, fine(node <= goals.idleShare)],
    ['PostgreSQL while silent, more than without', share(silent.shares.postgres - before.shares.postgres), '', ''],
    ['transactions a second, without', before.transactionsPerSecond.toFixed(1), '', ''],
    ['transactions a second, more than without', transactions.toFixed(1), '0', fine(transactions < 1)],
    ['connections that listen', String(silent.listening), '1 at most', fine(silent.listening <= 1)],
  ]
}

function replyRows({ answered, fromClick, fromStored, beside }: Replies): string[][] {
  const stored = percentilesOf(fromStored)
  return [
    ['a reply, from its transaction until shown: p50, p95', pair(fromStored, 0.5, 0.95), '', ''],
    ['the same: p99', ms(stored(0.99)), `≤ ${goals.replyMs} ms`, fine(stored(0.99) <= goals.replyMs)],
    ['from the click until answered: p50, p99', pair(answered, 0.5, 0.99), '', ''],
    ['from the click until shown: p50, p99', pair(fromClick, 0.5, 0.99), '', ''],
    besideRow('messages of others meanwhile: p50, p99', beside),
  ]
}

const pair = (times: number[], one: number, other: number) =>
  [one, other].map((at) => ms(percentilesOf(times)(at))).join(', ')

function besideRow(what: string, { times, refused }: Beside): string[] {
  const isFine = refused === 0 && percentilesOf(times)(0.99) <= goals.besideMs
  const words = refused > 0 ? `, ${refused} refused` : ''
  return [what, `${pair(times, 0.5, 0.99)}${words}`, `≤ ${goals.besideMs} ms, all`, fine(isFine)]
}

function restartRows({ downSeconds, backAfterMs, refused, cpu, stallMs, beside }: Restart, panels: number): string[][] {
  const after = (at: number) => `${(percentilesOf(backAfterMs)(at) / 1_000).toFixed(0)} s`
  const isFine = backAfterMs.length === panels && percentilesOf(backAfterMs)(1) <= goals.backSeconds * 1_000
  const refusals = Object.entries(refused).map(([status, n]) => `${n} × ${status}`)
  const seconds = (micros: number) => `${(micros / 1_000_000).toFixed(1)} s`
  return [
    ['killed and started again: gone for', `${downSeconds.toFixed(1)} s`, '', ''],
    [
      `open again: half, 99 %, all of ${backAfterMs.length}`,
      [0.5, 0.99, 1].map(after).join(', '),
      `all in ${goals.backSeconds} s`,
      fine(isFine),
    ],
    ['streams refused meanwhile', refusals.length > 0 ? refusals.join(', ') : 'none', '', ''],
    ['processor of their return: Node, PostgreSQL', `${seconds(cpu.node)}, ${seconds(cpu.postgres)}`, '', ''],
    ['longest stall of the event loop since the start', ms(stallMs), '', ''],
    besideRow('messages of others meanwhile: p50, p99', beside),
  ]
}
