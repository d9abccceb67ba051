import { print } from '../app/world.ts'
import { senders } from '../load/outgoing.ts'
import { perRequest } from '../sections/bench.ts'
import { prepareSenders } from '../senders.ts'
import { untilIdle } from '../servers/until-idle.ts'
import { type Beside, compare, type World } from './compare.ts'

/**
 * Messages out beside a transaction that stays open, as that of a backup by `pg_dump` does: rows that changed since cannot be
 * cleaned up, and each delivery changes its row. PostgreSQL's cost of a message, accepted, delivered and settled.
 */
export async function besideTransaction({ server, load, rounds }: World): Promise<Beside> {
  const { ports } = await load.listen(senders)
  await prepareSenders(server, ports)
  const { port, certificate, processes, dataDir } = server
  const send = async (seconds: number) => {
    const target = { port, certificate, processes, connections: 64, isDelivered: true, sentIn: dataDir }
    return load.deliver({ ...target, warmupMs: 1_000, measuredMs: seconds * 1_000 })
  }
  await send(8)
  return compare({
    ...{ what: 'PostgreSQL of a message out, settled, beside a long transaction', unit: 'µs', goal: 2, rounds },
    alone: async () => {
      await untilIdle(server)
      return perRequest(await send(10)).postgres
    },
    beside: async () => {
      const other = await server.connect()
      await other.query('begin isolation level repeatable read')
      await other.query('select count(*) from accounts') // from here on it sees what is committed now
      await send(20)
      await untilIdle(server)
      const outcome = await send(10)
      print(`  after ${outcome.tally.sent} messages in all, 20 s and more of them beside the transaction`)
      await other.end()
      return perRequest(outcome).postgres
    },
  })
}
