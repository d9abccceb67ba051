import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Arrived } from '../../../server/test/helpers/global-rules.ts'

/** An event with its place in its conversation. */
export type ArrivedReply = Arrived & { contact: string; sequence: number }

/** A receiver that records every event, refuses some, in percent, and takes its time to answer. */
export async function openFlappingReceiver(random: () => number, refused = 20, tookMs = 0) {
  const arrived: ArrivedReply[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    const status = random() * 100 < refused ? 500 : 200
    const webhookId = String(request.headers['webhook-id'])
    const { messageId, toId: contact } = JSON.parse(body)
    const sequence = Number(request.headers['patchbay-sequence'])
    arrived.push({ messageId, webhookId, body, status, contact, sequence })
    if (tookMs > 0) await sleep(tookMs)
    response.writeHead(status).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    arrived,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
