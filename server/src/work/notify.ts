import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Client } from 'pg'
import { type DatabaseAddress, type Db, openSocket } from '../platform/database/db.ts'
import type { Log } from '../platform/log.ts'

/** The stages that one process may call another for. */
type Called = 'delivery' | 'bot'

const channel = 'patchbay_work'
const againAfterMs = 1_000
/** A database that is there answers this often, so that one that is gone without hanging up is noticed. */
const askEveryMs = 5_000

export type Listening = { stop: () => Promise<void> }

/** Hears when another process has written down work. A call may get lost with the connection; stages look by themselves too. */
export function listenForWork(address: DatabaseAddress, log: Log, hear: (called: string) => void): Listening {
  const stopping = new AbortController()

  async function listen(): Promise<void> {
    const client = new Client({ ...address, application_name: 'patchbay calls', stream: () => openSocket() })
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
    client.on('error', () => {}) // told by `end`
    client.on('notification', ({ payload = '' }) => hear(payload))
    const stop = () => void client.end().catch(() => {})
    let isAsking = true
    const answered = () => {
      isAsking = false
    }
    const asking = setInterval(() => {
      if (isAsking) return
      isAsking = true
      client.query('select').then(answered, answered)
    }, askEveryMs)
    try {
      await client.connect()
      stopping.signal.addEventListener('abort', stop)
      if (stopping.signal.aborted) stop()
      else await client.query(`listen ${channel}`).then(answered)
      await ended
    } finally {
      clearInterval(asking)
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
export function openNotifier(db: Db, log: Log, called: Called): () => void {
  const momentMs = 10
  let isCalling = false
  return () => {
    if (isCalling) return
    isCalling = true
    setTimeout(() => {
      isCalling = false
      notifyWorkers(db, called).catch((error) => log.warn({ reason: String(error) }, 'could not call other processes'))
    }, momentMs).unref()
  }
}

export async function notifyWorkers(db: Db, called: Called): Promise<void> {
  await sql`select pg_notify(${channel}, ${called})`.execute(db)
}
