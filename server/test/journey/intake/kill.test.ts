// Runs alone: takes long, it kills servers under load

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { findProcesses } from '../../../src/platform/embedded-postgres/processes.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { type DataFolder, makeDataFolder, type ServerProcess, startProcess } from '../../helpers/server-process.ts'

/** `KILL_ROUNDS=10 npm test` for the long run. */
const rounds = Number(process.env.KILL_ROUNDS ?? 1)

/** How many messages are acknowledged in a round before the kill. */
const enough = 50

/** What the callers know: the id of each acknowledged messageSid, and the messageSids without a response. */
type History = { acknowledged: Map<string, string>; unknown: Set<string> }

function newHistory(): History {
  return { acknowledged: new Map(), unknown: new Set() }
}

// F01; at random and with a bot and a receiver: `npm run soak -- --only kills`
test('SIGKILL of the server under load: acknowledged messages are stored, and the others are stored once when they are sent again', async () => {
  await using folder = await makeDataFolder()
  const history = newHistory()
  for (let round = 0; round < rounds; round += 1) {
    {
      const server = await startProcess({ DATA_DIR: folder.path })
      await retryUnknown(server, history)
      const load = startLoad(server, history)
      await untilUnderway(history)
      server.child.kill('SIGKILL')
      await server.exited
      await load
    }
    assert.ok(history.unknown.size > 0, 'some were in flight')
  }
  await using server = await startProcess({ DATA_DIR: folder.path })
  assert.ok(history.acknowledged.size >= enough * rounds, `only ${history.acknowledged.size} were acknowledged`)
  const beforeRetry = await readStored(folder)
  assert.deepEqual(lostOf(history, beforeRetry), [])
  await retryUnknown(server, history)

  const again = [...history.acknowledged].slice(-100)
  for (const [messageSid, id] of again) {
    const { status, body } = await server.post(incomingPath, messageOf(messageSid))
    assert.deepEqual([status, body.messageId], [200, id])
  }
  const stored = await readStored(folder)
  assert.deepEqual(lostOf(history, stored), [])
  assert.deepEqual(
    stored.map(({ sid }) => sid).sort(),
    [...history.acknowledged.keys()].sort(),
    'each once, and none that was not sent',
  )
  await checkNumbers(folder)
})

// F07
test('SIGKILL of the whole database under load: no acknowledged message is lost, and the server recovers', async () => {
  const { lost, acknowledged } = await killDatabase({ synchronousCommit: true, kills: rounds })
  assert.ok(acknowledged >= enough, `only ${acknowledged} were acknowledged`)
  assert.deepEqual(lost, [])
})

// F08
test('the same with synchronous_commit off loses acknowledged messages: the test above can detect loss', async () => {
  const { lost, acknowledged } = await killDatabase({ synchronousCommit: false, kills: 4 })
  assert.ok(lost.length > 0, `none of ${acknowledged} was lost`)
})

/** Kills every process of the database at once under load, until a message is lost, at most `kills` times. */
async function killDatabase({ synchronousCommit, kills }: { synchronousCommit: boolean; kills: number }) {
  await using folder = await makeDataFolder()
  await using server = await startProcess({ DATA_DIR: folder.path })
  if (!synchronousCommit) await disableSyncCommit(folder)
  const history = newHistory()
  let lost: string[] = []
  for (let kill = 0; kill < kills && lost.length === 0; kill += 1) {
    while ((await server.get('/readyz')) !== 200) await sleep(50)
    const ending = new AbortController()
    const load = startLoad(server, history, ending.signal)
    await untilUnderway(history)
    const { postmaster, backends } = findProcesses(join(folder.path, 'postgres'))
    assert.ok(postmaster)
    for (const pid of [postmaster, ...backends]) tryKill(pid)
    await sleep(200) // messages sent now are refused
    ending.abort()
    await load
    while ((await server.get('/readyz')) !== 200) await sleep(50)
    lost = lostOf(history, await readStored(folder))
  }
  return { lost, acknowledged: history.acknowledged.size }
}

/** Lets commits return before they are on disk, for all connections from now on. */
async function disableSyncCommit(folder: DataFolder): Promise<void> {
  await using client = await connect(folder)
  await client.query('alter role patchbay set synchronous_commit = off')
  await client.query(`alter system set wal_writer_delay = '10s'`)
  await client.query(`alter system set wal_writer_flush_after = '1GB'`)
  await client.query('select pg_reload_conf()')
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where usename = current_user and pid <> pg_backend_pid()',
  )
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended with its postmaster.
  }
}

function messageOf(messageSid: string) {
  return incoming({ messageSid, fromId: `from ${messageSid.charCodeAt(0) % 5}`, body: `This is ${messageSid}.` })
}

/** Sixteen callers send one message after another until the server is gone or `ending` is aborted. */
async function startLoad(server: ServerProcess, history: History, ending?: AbortSignal): Promise<void> {
  async function call(): Promise<void> {
    while (!ending?.aborted) {
      const sid = crypto.randomUUID()
      history.unknown.add(sid)
      const answer = await server.post(incomingPath, messageOf(sid)).catch(() => undefined)
      if (!answer) return
      if (answer.status === 200 && answer.body.messageId) acknowledge(history, sid, answer.body.messageId)
      else assert.equal(answer.status, 500)
    }
  }
  await Promise.all(Array.from({ length: 16 }, call))
}

/** Returns at a random moment after enough messages have been acknowledged, however slow the machine is. */
async function untilUnderway({ acknowledged }: History): Promise<void> {
  const before = acknowledged.size
  while (acknowledged.size < before + enough) await sleep(5)
  await sleep(Math.random() * 300)
}

async function retryUnknown(server: ServerProcess, history: History): Promise<void> {
  for (const sid of history.unknown) {
    const { status, body } = await server.post(incomingPath, messageOf(sid))
    assert.equal(status, 200, JSON.stringify(body))
    acknowledge(history, sid, body.messageId ?? '')
  }
}

function acknowledge({ acknowledged, unknown }: History, sid: string, id: string): void {
  unknown.delete(sid)
  acknowledged.set(sid, id)
}

type Stored = { sid: string; id: string }

/** The acknowledged messages that are not stored under the acknowledged id. */
function lostOf({ acknowledged }: History, stored: Stored[]): string[] {
  const kept = new Map(stored.map(({ sid, id }) => [sid, id]))
  assert.equal(kept.size, stored.length, 'a messageSid is stored twice')
  return [...acknowledged].filter(([sid, id]) => kept.get(sid) !== id).map(([sid]) => sid)
}

async function readStored(folder: DataFolder): Promise<Stored[]> {
  await using client = await connect(folder)
  const { rows } = await client.query(`select message_sid as sid, id from messages where direction = 'incoming'`)
  return rows
}

/** A conversation's counter is never behind its messages, and five senders are five contacts. */
async function checkNumbers(folder: DataFolder): Promise<void> {
  await using client = await connect(folder)
  const { rows } = await client.query(`
    select c.last_seq >= max(m.seq) as counts, count(*) = count(distinct m.seq) as distinct
    from conversations c join messages m using (account_id, contact_id) group by account_id, contact_id, c.last_seq
  `)
  assert.deepEqual(rows, Array(5).fill({ counts: true, distinct: true }))
}

async function connect(folder: DataFolder): Promise<Client & AsyncDisposable> {
  const client = new Client({ host: join(folder.path, 'postgres'), user: 'patchbay', database: 'postgres' })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}
