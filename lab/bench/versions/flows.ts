import type { Client } from 'pg'
import { forgetOwed, owingKey } from '../fill.ts'
import type { LoadClient } from '../load/client.ts'
import type { Outcome } from '../load/run-load.ts'
import type { MessageTraffic } from '../load/traffic.ts'
import { surprises } from '../sections/bench.ts'
import { apiKey, type RunningServer } from '../servers/start.ts'

export type Direction = 'in' | 'out'

/** What one stretch of load on one server came to. */
export type Stretch = Pick<Outcome, 'requests' | 'seconds' | 'cpu' | 'othersShare'>

/** Without `requestsPerSecond` as many as the server takes. */
export type Pace = { warmupMs: number; measuredMs: number; requestsPerSecond?: number }

export type Flow = (load: LoadClient, server: RunningServer, pace: Pace) => Promise<Stretch>

const connections = 64

/** Messages that come in: all that were answered in the measured time. */
export function sendIn(traffic: MessageTraffic): Flow {
  const isOwed = traffic === 'owed'
  return async (load, server, pace) => {
    const { port, certificate, processes } = server
    if (isOwed) await withDatabase(server, forgetOwed)
    const target = { port, certificate, processes, apiKey: isOwed ? owingKey : apiKey, connections, traffic }
    const outcome = await load.load({ ...target, ...pace })
    const words = surprises(outcome, 200)
    if (words !== undefined) throw new Error(`not every message was accepted: ${words}`)
    return outcome
  }
}

export async function withDatabase(
  { connect }: RunningServer,
  work: (database: Client) => Promise<unknown>,
): Promise<void> {
  const database = await connect()
  await work(database)
  await database.end()
}

/** Messages that go out to receivers on this machine: all that were accepted, until each has arrived and is sent. */
export const sendOut: Flow = async (load, { port, certificate, processes, dataDir }, pace) => {
  const target = { port, certificate, processes, connections, isDelivered: true, sentIn: dataDir }
  const outcome = await load.deliver({ ...target, ...pace })
  const words = surprises(outcome, 200)
  if (words !== undefined) throw new Error(`not every message was accepted: ${words}`)
  const { sent, arrivedOnce, strange } = outcome.tally
  if (sent !== arrivedOnce || strange > 0) {
    throw new Error(`of ${sent} messages ${arrivedOnce} arrived once, and ${strange} events are of no message`)
  }
  return outcome
}

/** A message has arrived before its server knows that it has; in the end it must know of each. */
export async function assertAllSent(server: RunningServer): Promise<void> {
  await withDatabase(server, async (database) => {
    const { rows } = await database.query<{ n: string }>('select count(*) as n from deliveries where sent_at is null')
    if (Number(rows[0]?.n) > 0) throw new Error(`${rows[0]?.n} messages that arrived are not sent`)
  })
}
