import type { PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import type { Log } from '../log.ts'
import { type DatabaseAddress, type Db, openPool, withKysely } from './db.ts'
import { plannedOnce } from './pools.ts'

/**
 * Opens a database whose statements are planned once a connection, each of them: for work that runs the same few statements
 * thousands of times, where planning took most of the time. Statements have the name of their text, which nobody need
 * know. Few connections: each has plans of its own.
 */
export function openPlannedDb(
  address: DatabaseAddress,
  log: Log,
  { connections, name }: { connections: number; name: string },
): Db {
  return plannedDb(openPool(address, log, { connections, name, settings: plannedOnce }))
}

/** The same on a pool that is there, whose connections plan their statements once. */
export function plannedDb(pool: Pool): Db {
  const nameOf = openNames()
  const clients = new WeakMap<PoolClient, PostgresPoolClient>() // Kysely knows a connection by its client
  return withKysely(pool, {
    options: pool.options,
    connect: async () => {
      const client = await pool.connect()
      return clients.getOrInsertComputed(client, () => byName(client, nameOf))
    },
    end: () => pool.end(),
  })
}

type NameOf = (text: string) => string | undefined

function byName(client: PoolClient, nameOf: NameOf): PostgresPoolClient {
  const query = (text: string, values: readonly unknown[]) => {
    const name = values.length === 0 ? undefined : nameOf(text) // without values it is `begin`, `commit` and the like
    return client.query(name === undefined ? { text, values: [...values] } : { name, text, values: [...values] })
  }
  return {
    query: query as unknown as PostgresPoolClient['query'], // never called with a cursor
    release: (isLost) => client.release(isLost),
  }
}

/** A statement that is built with more or fewer values has another text; so many are planned, and others every time. */
const mostNames = 200

function openNames(): NameOf {
  const names = new Map<string, string>()
  return (text) => {
    const known = names.get(text)
    if (known !== undefined || names.size === mostNames) return known
    const name = `planned-${names.size + 1}`
    names.set(text, name)
    return name
  }
}
