import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkOpenFiles, readMostOpenFiles } from '../../commands/checks/check-machine.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { startApp } from '../helpers/harness.ts'
import { signIn } from '../helpers/sessions.ts'
import { makeChat } from '../helpers/strangers.ts'

test('doctor says when streams of website chats need more open files than a process may have, and only where there are chats', async () => {
  await using app = await startApp()
  const look = (most: number | undefined, environment = {}) =>
    checkOpenFiles(readConfig(environment), { db: app.db, servers: [], most })
  assert.match(await look(1_024), /^1024 for each process, and it needs up to 4800$/)
  await makeChat(await signIn(app, await app.makeAccount()))
  await assert.rejects(
    look(4_096),
    /may open 4096 files, and with CHAT_STREAMS=2500 it needs up to 4800; raise the limit/,
  )
  assert.match(await look(4_096, { CHAT_STREAMS: '1000' }), /it needs up to 3300$/)
  assert.match(await look(Number.POSITIVE_INFINITY), /^no limit /)
  assert.match(await look(undefined), /not known/)
  if (process.platform === 'linux') assert.ok(((await readMostOpenFiles()) ?? 0) > 100)
})
