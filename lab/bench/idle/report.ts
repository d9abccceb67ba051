import type { Table } from '../table.ts'
import type { Idle } from './measure-idle.ts'

export function idleTable({ seconds, servers }: Idle): Table {
  return {
    title: 'An idle server',
    note: `Milliseconds of CPU a second, over ${seconds.toFixed(0)} s in which nobody asked for anything.`,
    head: ['accounts', 'conversations', 'Node', 'PostgreSQL', 'together'],
    rows: servers.map(({ accounts, conversations, nodeMs, postgresMs }) => [
      String(accounts),
      String(conversations),
      ...[nodeMs, postgresMs, nodeMs + postgresMs].map((ms) => ms.toFixed(1)),
    ]),
  }
}
