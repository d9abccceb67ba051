import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Client } from 'pg'
import { type DatabaseAddress, type Db, openSocket } from '../platform/database/db.ts'
import type { Log } from '../platform/log.ts'

/** The stages that one process can wake in another. */
type StageName = 'delivery' | 'bot'

const channel = 'patchbay_work'
const reconnectAfterMs = 1_000
/**
 * The answers keep the socket from timing out, which it does when the database is gone without closing the connection.
 */
const pingEveryMs = 5_000

export type Listening = { stop: () => Promise<void> }

/**
 * Listens (LISTEN) for the notifications that another process has committed work for a stage. Notifications are lost
 * while the connection is; stages also poll.
 */
export function listenForWork(address: DatabaseAddress, log: Log, onWork: (stage: string) => void): Listening {
  const stopping = new AbortController()

  async function listen(): Promise<void> {
    const client = new Client({ ...address, application_name: 'patchbay listen', stream: () => openSocket() })
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
    client.on('error', () => {}) // `end` follows
    client.on('notification', ({ payload = '' }) => onWork(payload))
    const stop = () => void client.end().catch(() => {})
    let isWaiting = true
    const answered = () => {
      isWaiting = false
    }
    const pinging = setInterval(() => {
      if (isWaiting) return
      isWaiting = true
      client.query('select').then(answered, answered)
    }, pingEveryMs)
    try {
      await client.connect()
      stopping.signal.addEventListener('abort', stop)
      if (stopping.signal.aborted) stop()
      else await client.query(`listen ${channel}`).then(answered)
      await ended
    } finally {
      clearInterval(pinging)
      stopping.signal.removeEventListener('abort', stop)
      await client.end().catch(() => {})
    }
  }

  async function keepListening(): Promise<void> {
    while (!stopping.signal.aborted) {
      await listen().catch((error) =>
        log.warn({ reason: String(error) }, 'cannot listen for work of other processes; trying again'),
      )
      await sleep(reconnectAfterMs, undefined, { signal: stopping.signal }).catch(() => {})
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
 * Notifies the other processes after work was committed. Notifications within 10 ms become one, because NOTIFY takes a
 * lock that the whole database shares.
 */
export function openNotifier(db: Db, log: Log, stage: StageName): () => void {
  const gatherMs = 10
  let isPending = false
  return () => {
    if (isPending) return
    isPending = true
    setTimeout(() => {
      isPending = false
      notifyWorkers(db, stage).catch((error) =>
        log.warn({ reason: String(error) }, 'could not notify other processes of work'),
      )
    }, gatherMs).unref()
  }
}

export async function notifyWorkers(db: Db, stage: StageName): Promise<void> {
  await sql`select pg_notify(${channel}, ${stage})`.execute(db)
}
