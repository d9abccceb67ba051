import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Client } from 'pg'
import type { DatabaseAddress } from '../../src/platform/database/db.ts'

const folder = resolve(import.meta.dirname, '../../migrations')

/** Makes the schema of an older version in an empty database, as that version did. */
export async function makeOldSchema(address: DatabaseAddress, version: number): Promise<void> {
  const files = (await readdir(folder)).sort().filter((file) => Number(file.slice(0, 4)) <= version)
  const client = new Client(address)
  await client.connect()
  await client.query(`create table schema_migrations (
    version integer primary key, name text not null, applied_at timestamptz not null default now()
  )`)
  for (const file of files) {
    await client.query(await readFile(join(folder, file), 'utf8'))
    const row = [Number(file.slice(0, 4)), file.slice(5, -4)]
    await client.query('insert into schema_migrations (version, name) values ($1, $2)', row)
  }
  await client.end()
}
