import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { restoreBackup } from '../../src/platform/backup/restore-backup.ts'
import { embeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts'
import { runHere } from './commands.ts'
import type { ServerProcess } from './server-process.ts'

export type Scratch = { path: string; [Symbol.asyncDispose]: () => Promise<void> }

/** A folder for backups, archives and restored copies. */
export async function makeScratch(): Promise<Scratch> {
  const path = await mkdtemp(join(tmpdir(), 'patchbay-backup-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Runs a command that must succeed, and returns its document. */
export async function runJson(
  environment: Record<string, string>,
  ...words: string[]
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it expects, which no type could do as well
): Promise<any> {
  const { code, stdout, stderr } = await runHere(environment, ...words, '--json')
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

/** Restores in this process, without what the command does besides. */
export async function restoreTo(dataDir: string, from: string, options: { until?: Date; archive?: string } = {}) {
  const { until, archive } = options
  return restoreBackup({ dataDir, from, until, archive, finish: async () => {} })
}

/** One statement in the database of a running server. */
export async function queryData<Row extends object>(dataDir: string, statement: string): Promise<Row[]> {
  using embedded = embeddedPostgres(join(dataDir, 'postgres'))
  const client = new Client(embedded.connection)
  await client.connect()
  const { rows } = await client.query(statement)
  await client.end()
  return rows
}

type Acknowledged = { messageSid: string; messageId: string; at: number }

/** Clients that send messages until they are stopped, and remember what was acknowledged and when. */
export function startSenders(server: ServerProcess, clients: number) {
  const acknowledged: Acknowledged[] = []
  let isStopping = false
  async function send(client: number): Promise<void> {
    for (let n = 0; !isStopping; n += 1) {
      const messageSid = `sid ${client} ${n}`
      acknowledged.push({ messageSid, messageId: await sendMessage(server, messageSid), at: Date.now() })
      await sleep(5)
    }
  }
  const sending = Promise.all(Array.from({ length: clients }, (_, client) => send(client)))
  return {
    acknowledged,
    stop: async () => {
      isStopping = true
      await sending
    },
  }
}

/** The id of a message that is sent, or that was sent before with this sid. */
export async function sendMessage(server: ServerProcess, messageSid: string): Promise<string> {
  const customData = { messageSid, fromId: `contact of ${messageSid}`, toId: 'shop', body: 'Hello' }
  const { status, body } = await server.post('/incoming_custom_channel_message', { customData })
  assert.equal(status, 200)
  return body.messageId ?? ''
}
