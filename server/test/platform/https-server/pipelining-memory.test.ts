// Runs alone: sends as fast as it can for long

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openRawSocket } from '../../helpers/raw-sockets.ts'
import { apiKey, makeDataFolder, startProcess } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

test('ten thousand pipelined requests with one key take little memory, and none of them is 500', async () => {
  await using folder = await makeDataFolder()
  await using server = await startProcess({ DATA_DIR: folder.path, ROLE: 'api' })
  const message = (sid: string) =>
    JSON.stringify({ customData: { messageSid: sid, fromId: 'ana', toId: 'shop', body: 'Hello' } })
  const look = `GET /v1/contacts?phoneNumber=15551234567&apiKey=${apiKey} HTTP/1.1\r\nhost: x\r\n\r\n`
  const tell = (sid: string) =>
    `POST /v1/incoming_custom_channel_message?apiKey=${apiKey} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${message(sid).length}\r\n\r\n${message(sid)}`

  using warm = await openRawSocket(server.url)
  warm.socket.write(`${look}${tell('first')}`.repeat(100))
  await until(() => warm.answers().length === 200, 'not answered')
  const before = memoryMegabytes(server.child.pid)
  const connections = await Promise.all(Array.from({ length: 4 }, () => openRawSocket(server.url)))
  for (const [number, { socket }] of connections.entries()) {
    for (let count = 0; count < 1_250; count += 1) socket.write(look + tell(`sid-${number}-${count}`))
  }
  let most = before
  while (connections.some(({ text }) => text().split('HTTP/1.1 ').length <= 2_500)) {
    await sleep(250) // until the test times out: this test is about memory, not time
    most = Math.max(most, memoryMegabytes(server.child.pid))
  }
  assert.ok(most - before <= 150, `${before} MB before, then ${most} MB`)
  for (const { answers, socket } of connections) {
    const statuses = new Map<number, number>()
    for (const { status } of answers()) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    assert.deepEqual(
      [...statuses],
      [
        [404, 1_250],
        [200, 1_250],
      ],
    )
    socket.destroy()
  }
})

function memoryMegabytes(process: number | undefined): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(process)], { encoding: 'utf8' })) / 1024
}
