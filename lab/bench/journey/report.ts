import type { Table } from '../table.ts'
import type { Journey } from './measure-journey.ts'
import { type JourneyCpu, type PartCpu, partNames, partWords } from './parts.ts'

/** Without the CPU of the parts where only the journey was measured. */
export function journeyTable(journey: Journey, cpu?: JourneyCpu): Table {
  const { perSecond, messages, quietMs, searchable } = journey
  return {
    title: 'The journey of a message',
    note: `${messages} messages of as many contacts, ${perSecond} a second, to an account whose bot answers with the built-in engine. Times are since the message was due; the bot waits ${quietMs} ms for a second message before it answers. ${searchable.of} messages had a word of their own, which the app's search was asked for every 200 ms. At this rate, where batches are small, a message took ${millis(journey.cpu.node)} ms of Node and ${millis(journey.cpu.postgres)} ms of PostgreSQL in all, with those searches. The CPU of each part is from where it was measured by itself, at full speed; that of the search and of the reports cannot be told apart.`,
    head: ['', 'p50 ms', 'p99 ms', 'seen', ...(cpu ? ['Node µs', 'PostgreSQL µs', 'CPU measured in'] : [])],
    rows: partNames.map((name) => {
      const { p50, p99, of } = journey[name]
      return [partWords[name], p50.toFixed(0), p99.toFixed(0), String(of), ...(cpu ? cpuCells(cpu[name]) : [])]
    }),
  }
}

function cpuCells(part: PartCpu): string[] {
  return part ? [part.node.toFixed(0), part.postgres.toFixed(0), part.from] : ['', '', 'with the search']
}

function millis(micros: number): string {
  return (micros / 1_000).toFixed(1)
}
