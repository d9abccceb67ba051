import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { addressOf } from '../../../src/platform/database/address.ts'
import { openSocket } from '../../../src/platform/database/open-socket.ts'

test('while no host can be used, no socket is left behind: its timeout would end the process', async () => {
  await using refusing = createServer((socket) => void socket.once('data', () => socket.end(wrongPassword)))
  await once(refusing.listen(0, '127.0.0.1'), 'listening')
  const { port } = refusing.address() as AddressInfo
  const { Client } = addressOf(`postgres://user@127.0.0.1:${port}/database`)
  assert.ok(Client)
  const socket = openSocket()
  await assert.rejects(new Client({ stream: () => socket }).connect(), { code: '28P01' })
  assert.ok(socket.destroyed)
})

/** An ErrorResponse of PostgreSQL's protocol. */
const fields = Buffer.from('SFATAL\0C28P01\0Mwrong password\0\0')
const wrongPassword = Buffer.concat([Buffer.from('E\0\0\0'), Buffer.from([fields.length + 4]), fields])
