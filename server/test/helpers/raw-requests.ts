import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Answer, TestAccount, TestApp } from './harness.ts'

type Sent = { headers?: Record<string, string>; pieces: string[] }

/** Sends exactly these headers, and the body in pieces: chunked unless a content length is among them. */
export async function sendRaw(
  { app, shop }: { app: TestApp; shop: TestAccount },
  path: string,
  { headers, pieces }: Sent,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const address = `${app.url}/v1${path}?apiKey=${shop.apiKey}`
  const sending = request(address, { method: 'POST', ca: app.certificate, headers: { ...headers } }, async (answer) => {
    const said = await text(answer)
    resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: JSON.parse(said) })
  })
  sending.on('error', reject) // has no effect after the response
  for (const piece of pieces) sending.write(piece)
  sending.end()
  return promise
}
