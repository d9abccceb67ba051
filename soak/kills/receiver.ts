import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Arrived } from '../../server/test/helpers/global-rules.ts'

/** Percentage of events that it refuses. */
const refused = 20

/** A receiver that fails now and then and records every event. */
export async function openFlappingReceiver(random: () => number) {
  const arrived: Arrived[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    const status = random() * 100 < refused ? 500 : 200
    const webhookId = String(request.headers['webhook-id'])
    arrived.push({ messageId: JSON.parse(body).messageId, webhookId, body, status })
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
