import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { incomingPath } from '../../common/public-api.ts'
import { openTenants } from '../tenants.ts'
import { type Attack, type Counts, count } from './attack.ts'
import { keepConnected, untilAnswers, writeAll } from './sockets.ts'

const get = (path: string, key?: string) =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\n${key === undefined ? '' : `x-api-key: ${key}\r\n`}\r\n`

/** A hundred connections that pipeline requests with wrong keys: 150,000 a second at most. */
export const wrongKeys: Attack = async ({ port, seed }) => {
  const [sockets, batch, batchesPerSecond] = [100, 100, 15]
  return async (stopping) => {
    const counts: Counts = {}
    let tried = 0
    await keepConnected({ sockets, port, counts }, stopping, async (socket) => {
      while (!stopping.aborted && !socket.socket.destroyed) {
        const keys = Array.from({ length: batch }, (_, n) => `pb_${seed}_${tried + n}_wrong`.padEnd(46, 'x'))
        tried += batch
        await writeAll(socket, keys.map((key) => get('/v1/contacts?phoneNumber=1', key)).join(''))
        count(counts, 'sent', batch)
        await sleep(1_000 / batchesPerSecond)
      }
    })
    return counts
  }
}

/** A hundred connections that each pipeline 300 requests with random session cookies, ten times a second. */
export const randomCookies: Attack = ({ port }) =>
  strangers(port, (token) => `GET /api/session HTTP/1.1\r\nhost: x\r\ncookie: __Host-patchbay=${token}\r\n\r\n`)

/** The same with random tokens of links. */
export const randomLinks: Attack = ({ port }) => strangers(port, (token) => postJson('/api/links', { token }))

/** The same with attempts to sign in with random e-mail addresses. */
export const randomSignIns: Attack = ({ port }) =>
  strangers(port, (token) => postJson('/api/session', { email: `${token}@example.com`, password: token }))

function postJson(path: string, value: unknown, key?: string): string {
  const body = JSON.stringify(value)
  const length = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
  return `POST ${path} HTTP/1.1\r\nhost: x\r\n${key === undefined ? '' : `x-api-key: ${key}\r\n`}${length}\r\n${body}`
}

async function strangers(port: number, ask: (token: string) => string): ReturnType<Attack> {
  const [sockets, batch, batchesPerSecond] = [100, 300, 10]
  return async (stopping) => {
    const counts: Counts = {}
    await keepConnected({ sockets, port, counts }, stopping, async (socket) => {
      while (!stopping.aborted && !socket.socket.destroyed) {
        const tokens = Array.from({ length: batch }, () => randomBytes(32).toString('base64url'))
        await writeAll(socket, tokens.map(ask).join(''))
        count(counts, 'sent', batch)
        await sleep(1_000 / batchesPerSecond)
      }
    })
    return counts
  }
}

/** Ten connections that each pipeline 2,000 requests of /readyz before they read a response. */
export const readyz: Attack = async ({ port }) => {
  const [sockets, batch] = [10, 2_000]
  const text = get('/readyz').repeat(batch)
  return async (stopping) => {
    const counts: Counts = {}
    await keepConnected({ sockets, port, counts }, stopping, async (socket) => {
      while (!stopping.aborted && !socket.socket.destroyed) {
        const wanted = socket.answers + batch
        await writeAll(socket, text)
        count(counts, 'sent', batch)
        await untilAnswers(socket, wanted)
      }
    })
    return counts
  }
}

/** Three hundred connections that request /healthz, each again as soon as it has its responses. */
export const healthz: Attack = async ({ port }) => {
  const [sockets, batch] = [300, 4]
  const text = get('/healthz').repeat(batch)
  return async (stopping) => {
    const counts: Counts = {}
    await keepConnected({ sockets, port, counts }, stopping, async (socket) => {
      while (!stopping.aborted && !socket.socket.destroyed) {
        const wanted = socket.answers + batch
        await writeAll(socket, text)
        count(counts, 'sent', batch)
        await untilAnswers(socket, wanted)
      }
    })
    return counts
  }
}

/** A client with a key that pipelines 10,000 requests of all kinds on one connection before it reads a response. */
export const withKey: Attack = async ({ port, database, seed }, started) => {
  const tenants = started.use(openTenants({ port, database }))
  const { apiKey } = await tenants.make()
  let sent = 0
  const post = (path: string, body: unknown) => postJson(path, body, apiKey)
  const write = () => {
    sent += 1
    const message = { messageSid: `${seed} ${sent}`, fromId: `person ${sent % 100}`, toId: 'x', body: 'Hello' }
    if (sent % 3 === 0) return post(incomingPath, { customData: message })
    if (sent % 3 === 1) return post('/v1/contacts', { email: `${seed}-${sent}@example.com` })
    return get('/v1/contacts?phoneNumber=15550000000', apiKey)
  }
  return async (stopping) => {
    const counts: Counts = {}
    const batch = 10_000
    await keepConnected({ sockets: 1, port, counts }, stopping, async (socket) => {
      const wanted = socket.answers + batch
      await writeAll(socket, Array.from({ length: batch }, write).join(''))
      count(counts, 'sent', batch)
      await untilAnswers(socket, wanted)
      await sleep(2_000)
    })
    return counts
  }
}
