import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { business } from './business.ts'

/** Calls the public API with the key, and the app's own API with a session, as a platform and a browser do. */
export type Client = {
  v1: (path: string, body: unknown) => Promise<Reply>
  app: (method: string, path: string, body?: unknown) => Promise<Reply>
  /** As another browser, without the session. */
  anyone: (method: string, path: string, body?: unknown) => Promise<Reply>
  /** As a visitor of the shop's page, with what their browser says of them. */
  visitor: (method: string, path: string, body: unknown, headers: Record<string, string>) => Promise<Reply>
}

// biome-ignore lint/suspicious/noExplicitAny: the script reads a few fields of many answers
type Reply = any

type Login = { email: string; password: string }

export async function openClient(url: string, certificateFile: string, owner: Login): Promise<Client> {
  const agent = new Agent({ ca: readFileSync(certificateFile), keepAlive: true })
  let cookie = ''
  const send = (method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const sent = { ...headers, ...(text !== undefined && { 'content-type': 'application/json' }) }
      const call = request(`${url}${path}`, { agent, method, headers: sent }, (response) => {
        let answer = ''
        cookie = response.headers['set-cookie']?.[0]?.split(';')[0] ?? cookie
        response.on('data', (data) => (answer += data))
        response.on('end', () => {
          if ((response.statusCode ?? 500) < 400) resolve(answer === '' ? undefined : JSON.parse(answer))
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`))
        })
      })
      call.on('error', reject)
      call.end(text)
    })
  const { email, password } = owner
  const app: Client['app'] = (method, path, body) =>
    send(method, path, body, { cookie, 'sec-fetch-site': 'same-origin' })
  await app('POST', '/api/session', { email, password })
  const own = cookie
  const anyone: Client['anyone'] = async (method, path, body) => {
    const reply = await send(method, path, body, { 'sec-fetch-site': 'same-origin' })
    cookie = own
    return reply
  }
  return {
    v1: (path, body) => send('POST', `/v1${path}`, body, { 'x-api-key': business.apiKey }),
    app,
    anyone,
    visitor: send,
  }
}
