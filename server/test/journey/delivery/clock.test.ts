import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { runHere } from '../../helpers/commands.ts'
import { outgoing, sendPath } from '../../helpers/message-requests.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { makeDataFolder, startProcess } from '../../helpers/server-process.ts'

test('when the server clock jumps, attempts still follow the schedule, and their timestamps follow the clock', async () => {
  const answers: number[] = []
  const arrivals: number[] = []
  await using receiver = await startReceiver((_request, response) => {
    arrivals.push(performance.now()) // before the answer, from which the wait begins
    response.writeHead(answers.shift() ?? 200).end()
  })
  await using folder = await makeDataFolder()
  const preload = join(import.meta.dirname, '../../helpers/jumping-clock.ts')
  const environment = { DATA_DIR: folder.path, DELIVERY_RETRY_SECONDS: '1,1,1,1', OWNER_EMAIL: 'owner@example.com' }
  await using server = await startProcess({ ...environment, NODE_OPTIONS: `--import=${preload}` })
  const saved = await runHere(environment, 'webhook', 'set', '--account', 'owner@example.com', '--url', receiver.url)
  assert.equal(saved.code, 0, saved.stderr)
  const day = 86_400

  for (const { signal, ahead } of [
    { signal: undefined, ahead: 0 },
    { signal: 'SIGUSR2' as const, ahead: day },
    { signal: 'SIGWINCH' as const, ahead: -day },
  ]) {
    receiver.requests.length = 0
    arrivals.length = 0
    answers.push(500, 500)
    const { status, body } = await server.post(sendPath, outgoing({ fromId: `contact ${ahead}` }))
    assert.equal(status, 200)
    while (receiver.requests.length < 1) await sleep(5)
    if (signal) server.child.kill(signal) // between the first attempt and the second
    while (receiver.requests.length < 3) await sleep(5)
    const took = (arrivals[2] ?? 0) - (arrivals[0] ?? 0)
    assert.ok(took > 1_500 && took < 30_000, `two waits of about a second, and not of a day, took ${took} ms`)
    await sleep(300)
    assert.equal(receiver.requests.length, 3, 'no further attempts')
    const [, , third] = receiver.requests
    const seconds = Number(third?.headers['webhook-timestamp']) - Date.now() / 1_000
    assert.ok(Math.abs(seconds - ahead) < 60, `the timestamp is ${seconds} s ahead`)
    const message = await untilSent(environment)
    assert.deepEqual([message.id, message.attempts], [body.messageId, 3])
  }
})

/** The newest message, once its outcome is stored too. */
async function untilSent(environment: Record<string, string>): Promise<Record<string, unknown>> {
  for (;;) {
    const listed = await runHere(environment, 'messages', '--account', 'owner@example.com', '--limit', '1', '--json')
    const [message] = JSON.parse(listed.stdout).messages
    if (message.status === 'Sent') return message
    await sleep(20)
  }
}
