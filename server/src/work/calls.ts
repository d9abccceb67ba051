import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Client } from 'pg'
import type { DatabaseAddress, Db } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'

/** The stages that one process may call another for. */
type Called = 'delivery' | 'bot'

const channel = 'patchbay_work'
const againAfterMs = 1_000

export type Listening = { stop: () => Promise<void> }

/** Hears when another process has written down work. A call may get lost with the connection; stages look by themselves too. */
export function listenForCalls(address: DatabaseAddress, log: Log, hear: (called: string) => void): Listening {
  const stopping = new AbortController()

  async function listen(): Promise<void> {
    const client = new Client({ ...address, application_name: 'patchbay calls', keepAlive: true })
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
    client.on('error', () => {}) // told by `end`
    client.on('notification', ({ payload = '' }) => hear(payload))
    const stop = () => void client.end().catch(() => {})
    try {
      await client.connect()
      stopping.signal.addEventListener('abort', stop)
      if (stopping.signal.aborted) stop()
      else await client.query(`listen ${channel}`)
      await ended
    } finally {
      stopping.signal.removeEventListener('abort', stop)
      await client.end().catch(() => {})
    }
  }

  async function keepListening(): Promise<void> {
    while (!stopping.signal.aborted) {
      await listen().catch((error) => log.warn({ reason: String(error) }, 'cannot hear other processes; trying again'))
      await sleep(againAfterMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const listening = keepListening()
  return {
    stop: async () => {
      stopping.abort()
      await listening
    },
  }
}

/**
 * Calls the other processes after work was written down and committed. Many calls in a moment become one, because
 * notifying takes a lock that the whole database shares.
 */
export function openCaller(db: Db, log: Log, called: Called): () => void {
  const momentMs = 10
  let isCalling = false
  return () => {
    if (isCalling) return
    isCalling = true
    setTimeout(() => {
      isCalling = false
      callWorkers(db, called).catch((error) => log.warn({ reason: String(error) }, 'could not call other processes'))
    }, momentMs).unref()
  }
}

export async function callWorkers(db: Db, called: Called): Promise<void> {
  await sql`select pg_notify(${channel}, ${called})`.execute(db)
}
