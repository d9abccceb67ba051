import { Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Request } from './writer.ts'

export type SentAnswer = { status: number; messageId?: string | undefined; failure?: string | undefined }

const timeoutMs = 30_000

/** Sends over keep-alive connections, as most clients do. */
export function openSender({ port, certificate }: { port: number; certificate?: string }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 200, scheduling: 'lifo' })
  const trust = certificate === undefined ? { rejectUnauthorized: false } : { ca: certificate }
  const options = { host: '127.0.0.1', servername: 'localhost', port, agent, ...trust }

  async function attempt({ method, path, apiKey, isApp, body }: Request): Promise<SentAnswer & { wasReused: boolean }> {
    const { promise, resolve } = Promise.withResolvers<SentAnswer & { wasReused: boolean }>()
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const who = isApp ? { cookie: `__Host-patchbay=${apiKey}` } : { 'x-api-key': apiKey }
    const headers = { ...who, 'content-type': 'application/json', ...length }
    const asking = request({ ...options, method, path, headers, timeout: timeoutMs }, (answer) => {
      text(answer).then(
        (said) => resolve({ status: answer.statusCode ?? 0, messageId: readId(said), wasReused: false }),
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
    send: async (wanted: Request): Promise<SentAnswer> => {
      const first = await attempt(wanted)
      // The server may close an idle connection at the moment it is used again.
      const { wasReused, ...answer } = first.status === 0 && first.wasReused ? await attempt(wanted) : first
      return answer
    },
  }
}

function readId(said: string): string | undefined {
  return /"messageId":"([^"]*)"/.exec(said)?.[1]
}
