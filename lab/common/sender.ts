import { Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'

export type Sent = { method: string; path: string; headers: Record<string, string>; body: string | undefined }

/** `status` is 0, and `failure` the error, if there was no response; else `failure` is what a refusal says. `messageId`: if the response names one. */
type Answer = { status: number; messageId?: string | undefined; failure?: string | undefined }

const timeoutMs = 30_000

/** Sends over keep-alive connections, as most clients do. Without a certificate it trusts every server. */
export function openSender({ port, certificate }: { port: number; certificate?: string }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 200, scheduling: 'lifo' })
  const trust = certificate === undefined ? { rejectUnauthorized: false } : { ca: certificate }
  const options = { host: '127.0.0.1', servername: 'localhost', port, agent, timeout: timeoutMs, ...trust }

  async function attempt({ method, path, headers, body }: Sent): Promise<Answer & { wasReused: boolean }> {
    const { promise, resolve } = Promise.withResolvers<Answer & { wasReused: boolean }>()
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const all = { 'content-type': 'application/json', ...length, ...headers }
    const asking = request({ ...options, method, path, headers: all }, (answer) => {
      text(answer).then(
        (said) => resolve({ ...readAnswer(answer.statusCode ?? 0, said), wasReused: false }),
        (error) => resolve({ status: 0, failure: error.message, wasReused: false }),
      )
    })
    asking.on('timeout', () => asking.destroy(new Error('no response for half a minute')))
    asking.on('error', (error) => resolve({ status: 0, failure: error.message, wasReused: asking.reusedSocket }))
    asking.end(body)
    return promise
  }

  return {
    sendOnce: attempt,
    send: async (wanted: Sent): Promise<Answer> => {
      const first = await attempt(wanted)
      // The server may close an idle connection at the moment it is used again.
      const { wasReused, ...answer } = first.status === 0 && first.wasReused ? await attempt(wanted) : first
      return answer
    },
  }
}

function readAnswer(status: number, said: string): Answer {
  return status < 400 ? { status, messageId: readId(said) } : { status, failure: said.slice(0, 120) }
}

function readId(said: string): string | undefined {
  return /"messageId":"([^"]*)"/.exec(said)?.[1]
}
