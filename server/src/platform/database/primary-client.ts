import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import { isTransientConnectionError } from './errors.ts'
import { openSocket } from './open-socket.ts'

type Callback = (error: Error | null, client?: Client) => void
type Host = Pick<ClientConfig, 'connectionString' | 'host' | 'user' | 'database'>
export type ClientClass = new (config?: string | ClientConfig) => Client

/** Less than the time that a pool gives a connection, so that the reason is ours and not "timeout". */
const waitsMs = 4_500
const pauseMs = 100
const probeMs = 2_000

/**
 * A client of the driver that connects to whichever host accepts writes, and waits while none does: during a failover
 * or a restart nothing has been sent yet, so waiting is safe. A connection that was lost makes the next one search again.
 */
export function primaryClient(hosts: Host[]): ClientClass {
  const primary = openSearch(hosts)
  return class PrimaryClient extends Client {
    constructor(config?: string | ClientConfig) {
      super(config)
      this.on('error', primary.forget) // the connection was lost
    }

    override connect(): Promise<Client>
    override connect(callback: Callback): void
    override connect(callback?: Callback): Promise<Client> | undefined {
      if (!callback) return this.#connect()
      this.#connect().then(
        () => callback(null, this),
        (error) => callback(error),
      )
      return undefined
    }

    async #connect(): Promise<Client> {
      const { host, port } = await primary.find().catch((error) => {
        this.connection.stream.destroy() // unused, its timeout would be an error that nobody handles
        throw error
      })
      if (this.connection.stream.destroyed) throw new Error('timeout expired') // the pool has given up meanwhile
      this.host = host
      this.port = port
      const acceptsWrites = watchWritable(this)
      try {
        await super.connect()
      } catch (error) {
        primary.forget()
        throw error
      }
      if (acceptsWrites()) return this
      primary.forget()
      await this.end()
      throw new NoPrimary()
    }
  }
}

/** `ECONNREFUSED` says to our callers what it is: a database that may be there a moment later. */
class NoPrimary extends Error {
  code = 'ECONNREFUSED'
  override message = 'none of the hosts of the database accepts writes'
}

type Primary = { host: string; port: number }

/** Where the primary is: remembered until it is forgotten, and searched by one search at a time. */
function openSearch(hosts: Host[]): { find: () => Promise<Primary>; forget: () => void } {
  let known: Primary | undefined
  let searching: Promise<Primary> | undefined

  async function search(): Promise<Primary> {
    try {
      known = await Promise.any(hosts.map(probe))
      return known
    } finally {
      searching = undefined
    }
  }

  async function find(): Promise<Primary> {
    for (const giveUpAt = performance.now() + waitsMs; ; await sleep(pauseMs)) {
      try {
        searching ??= search()
        return known ?? (await searching)
      } catch (error) {
        const errors: unknown[] = error instanceof AggregateError ? error.errors : [error]
        const lasting = errors.filter((one) => !isTransientConnectionError(one)) // such as a wrong password
        if (lasting.length === errors.length || performance.now() >= giveUpAt) throw lasting[0] ?? errors[0]
      }
    }
  }

  return { find: async () => known ?? find(), forget: () => (known = undefined) }
}

async function probe(host: Host): Promise<Primary> {
  const named = { application_name: 'patchbay search', connectionTimeoutMillis: probeMs }
  const client = new Client({ ...host, ...named, stream: () => openSocket(probeMs) })
  client.on('error', () => {}) // it may be lost before it is closed
  const acceptsWrites = watchWritable(client)
  await client.connect()
  client.end().catch(() => {}) // not awaited: a host that hangs must not make everybody wait
  if (!acceptsWrites()) throw new NoPrimary()
  return { host: client.host, port: client.port }
}

/** PostgreSQL reports at the start of each connection whether it is a standby. */
function watchWritable({ connection }: Client): () => boolean {
  const reported = new Map<string, string>()
  connection.on('parameterStatus', ({ parameterName, parameterValue }) => reported.set(parameterName, parameterValue))
  return () => reported.get('in_hot_standby') !== 'on' && reported.get('default_transaction_read_only') !== 'on'
}
