import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Arrival } from './log.ts'

type ReplyEvent = { messageId: string; toId: string }

/** Accepts events and answers at once. */
export async function openReceiver(): Promise<{ port: number; arrivals: Arrival[] }> {
  const arrivals: Arrival[] = []
  const server = createServer(async (request, response) => {
    const atMs = performance.now()
    const event = (await json(request).catch(() => undefined)) as ReplyEvent | undefined
    response.end('ok')
    if (!event) return
    const webhookId = String(request.headers['webhook-id'])
    arrivals.push({ atMs, messageId: event.messageId, contact: event.toId, body: JSON.stringify(event), webhookId })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { port: (server.address() as AddressInfo).port, arrivals }
}
