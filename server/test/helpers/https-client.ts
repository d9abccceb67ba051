import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { Agent, request } from 'node:https'
import { createSecureContext } from 'node:tls'

type Sent = { method?: string; headers?: OutgoingHttpHeaders; body?: string | Buffer | undefined }
type Answered = { status: number; headers: IncomingHttpHeaders; text: string }
export type Client = { send: (url: URL | string, sent?: Sent) => Promise<Answered>; close: () => void }

/**
 * A client that keeps its connections open. It trusts `certificate`, or without one every server. Node's own, because a
 * package for it took 140 ms of processor time to load in each test file.
 */
export function openClient({ certificate, connections = 64 }: { certificate?: string; connections?: number }): Client {
  const trust = certificate === undefined ? { rejectUnauthorized: false } : {}
  const secureContext = createSecureContext(certificate === undefined ? {} : { ca: certificate })
  const agent = new Agent({ keepAlive: true, maxSockets: connections, secureContext, ...trust })
  return {
    send: (url, { method = 'GET', headers = {}, body } = {}) =>
      new Promise((resolve, reject) => {
        // Node would send the body of a DELETE without saying that there is one.
        const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
        const sending = request(url, { agent, method, headers: { ...length, ...headers } }, (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk) => chunks.push(chunk))
          answer.once('error', reject)
          answer.once('end', () => {
            const text = Buffer.concat(chunks).toString()
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text })
          })
        })
        sending.on('error', reject)
        sending.end(body)
      }),
    close: () => agent.destroy(),
  }
}
