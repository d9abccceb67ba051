import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { type DatabaseAddress, openClient } from '../database/db.ts'
import { openSocket } from '../database/open-socket.ts'
import type { Log } from '../log.ts'

/** The channels that our processes notify each other on. */
export type Channel = 'patchbay_work' | 'patchbay_live' | 'patchbay_rate'

type Subscriber = {
  onNotification: (payload: string) => void
  /** From now on notifications arrive; those sent since the connection was lost did not. */
  onListening?: () => void
}

/** The connection of this process for notifications (LISTEN and NOTIFY), of which it has one. */
export type Listener = {
  /** Returns what ends it. */
  listen: (channel: Channel, subscriber: Subscriber) => () => void
  /** Notifies all processes, this one too. Rejects while there is no connection. */
  notify: (channel: Channel, payloads: string[]) => Promise<void>
  stop: () => Promise<void>
}

const reconnectAfterMs = 1_000
/** The answers keep the socket from timing out, as it does when the database is gone without closing the connection. */
const pingEveryMs = 5_000

/** Connects, and again whenever the connection is lost. Notifications of the meantime are lost. */
export function openListener(address: DatabaseAddress, log: Log): Listener {
  const stopping = new AbortController()
  const channels = new Map<Channel, Set<Subscriber>>()
  let connected: Query | undefined

  async function listenOn(query: Query, channel: Channel, subscribers: Iterable<Subscriber>): Promise<void> {
    await query(`listen ${channel}`)
    for (const { onListening } of subscribers) onListening?.()
  }

  async function connect(): Promise<void> {
    const client = openClient(address, { application_name: 'patchbay listen', stream: () => openSocket() })
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
    client.on('error', () => {}) // `end` follows
    client.on('notification', ({ channel, payload = '' }) => {
      for (const { onNotification } of channels.get(channel as Channel) ?? []) onNotification(payload)
    })
    const stop = () => void client.end().catch(() => {})
    const query = inTurn(client)
    const pinging = startPinging(query)
    try {
      await client.connect()
      stopping.signal.addEventListener('abort', stop)
      if (stopping.signal.aborted) stop()
      else {
        connected = query
        await Promise.all([...channels].map(([channel, subscribers]) => listenOn(query, channel, subscribers)))
      }
      await ended
    } finally {
      connected = undefined
      clearInterval(pinging)
      stopping.signal.removeEventListener('abort', stop)
      await client.end().catch(() => {})
    }
  }

  async function stayConnected(): Promise<void> {
    while (!stopping.signal.aborted) {
      await connect().catch((error) =>
        log.warn({ reason: String(error) }, 'cannot listen for notifications of other processes; trying again'),
      )
      await sleep(reconnectAfterMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const running = stayConnected()
  return {
    listen: (channel, subscriber) => {
      const subscribers = channels.getOrInsertComputed(channel, () => new Set())
      subscribers.add(subscriber)
      if (connected) listenOn(connected, channel, [subscriber]).catch(() => {}) // it is lost; the next one listens
      return () => void subscribers.delete(subscriber)
    },
    notify: async (channel, payloads) => {
      if (!connected) throw new Error('there is no connection for notifications')
      await connected(notifying, [channel, payloads])
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

type Query = (text: string, values?: unknown[]) => Promise<unknown>

/** Runs one statement after another, as the driver asks for. */
function inTurn(client: Client): Query {
  let last: Promise<unknown> = Promise.resolve()
  return (text, values) => {
    const next = last.then(() => client.query(text, values))
    last = next.catch(() => {})
    return next
  }
}

/**
 * A transaction that notifies is written to the log of the database, and its commit would wait for the disk: a
 * notification need not survive.
 */
const notifying = `
select set_config('synchronous_commit', 'off', true), pg_notify($1, payload) from unnest($2::text[]) as payload`

/** One ping at a time, so that none waits behind another on a connection that is slow. */
function startPinging(query: Query): NodeJS.Timeout {
  let isWaiting = false
  return setInterval(() => {
    if (isWaiting) return
    isWaiting = true
    const answered = () => {
      isWaiting = false
    }
    query('select').then(answered, answered)
  }, pingEveryMs)
}
