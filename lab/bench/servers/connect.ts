import { join } from 'node:path'
import { Client } from 'pg'

/** A connection of our own to the database of a server, which is in its data folder. */
export async function connectTo(dataDir: string): Promise<Client> {
  const client = new Client({ host: join(dataDir, 'postgres'), user: 'patchbay', database: 'postgres' })
  client.on('error', () => {}) // the query at work has the error too
  await client.connect()
  return client
}
