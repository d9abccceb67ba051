import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { customers } from './business.ts'

/** The shop's own server: takes replies, and answers 503 to the last ones for some customers. */
export async function startReceiver(): Promise<{ url: string; close: () => void }> {
  const refused = new Set(customers.filter(({ isFailing }) => isFailing).map(({ lines }) => lines.at(-1)?.text))
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (data) => (text += data))
    request.on('end', () => {
      const { body } = JSON.parse(text) as { body: string }
      response.writeHead(refused.has(body) ? 503 : 200).end()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo // it listens on a port, never on a pipe
  return { url: `http://127.0.0.1:${port}/patchbay`, close: () => server.close() }
}
