import { setTimeout as sleep } from 'node:timers/promises'
import { openTenants } from '../tenants.ts'
import { type Attack, type Counts, count } from './attack.ts'
import { keepPlaying, pour, untilAnswers } from './sockets.ts'

const get = (path: string, key?: string) =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\n${key === undefined ? '' : `x-api-key: ${key}\r\n`}\r\n`

/** A hundred connections that try one key after another without waiting for answers: 150,000 a second at most. */
export const wrongKeys: Attack = async ({ port, seed }) => {
  const [sockets, batch, batchesPerSecond] = [100, 100, 15]
  return async (ending) => {
    const counts: Counts = {}
    let tried = 0
    await keepPlaying({ sockets, port, counts }, ending, async (socket) => {
      while (!ending.aborted && !socket.socket.destroyed) {
        const keys = Array.from({ length: batch }, (_, n) => `pb_${seed}_${tried + n}_wrong`.padEnd(46, 'x'))
        tried += batch
        await pour(socket, keys.map((key) => get('/v1/contacts?phoneNumber=1', key)).join(''))
        count(counts, 'sent', batch)
        await sleep(1_000 / batchesPerSecond)
      }
    })
    return counts
  }
}

/** Ten connections that ask 2,000 times whether we are ready before they listen to an answer. */
export const readyz: Attack = async ({ port }) => {
  const [sockets, batch] = [10, 2_000]
  const text = get('/readyz').repeat(batch)
  return async (ending) => {
    const counts: Counts = {}
    await keepPlaying({ sockets, port, counts }, ending, async (socket) => {
      while (!ending.aborted && !socket.socket.destroyed) {
        const wanted = socket.answers + batch
        await pour(socket, text)
        count(counts, 'sent', batch)
        await untilAnswers(socket, wanted)
      }
    })
    return counts
  }
}

/** Three hundred connections that ask whether we live, each its next as soon as it has an answer. */
export const healthz: Attack = async ({ port }) => {
  const [sockets, batch] = [300, 4]
  const text = get('/healthz').repeat(batch)
  return async (ending) => {
    const counts: Counts = {}
    await keepPlaying({ sockets, port, counts }, ending, async (socket) => {
      while (!ending.aborted && !socket.socket.destroyed) {
        const wanted = socket.answers + batch
        await pour(socket, text)
        count(counts, 'sent', batch)
        await untilAnswers(socket, wanted)
      }
    })
    return counts
  }
}

/** Somebody with a key who sends 10,000 requests of all kinds over one connection before they listen. */
export const withKey: Attack = async ({ port, server, database, environment, seed }, started) => {
  const tenants = started.use(await openTenants({ server, database, environment }))
  const { apiKey } = await tenants.make()
  let sent = 0
  const post = (path: string, body: unknown) => {
    const text = JSON.stringify(body)
    return `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  }
  const write = () => {
    sent += 1
    const message = { messageSid: `${seed} ${sent}`, fromId: `person ${sent % 100}`, toId: 'x', body: 'Hello' }
    if (sent % 3 === 0) return post('/v1/incoming_custom_channel_message', { customData: message })
    if (sent % 3 === 1) return post('/v1/contacts', { email: `${seed}-${sent}@example.com` })
    return get('/v1/contacts?phoneNumber=15550000000', apiKey)
  }
  return async (ending) => {
    const counts: Counts = {}
    const batch = 10_000
    await keepPlaying({ sockets: 1, port, counts }, ending, async (socket) => {
      const wanted = socket.answers + batch
      await pour(socket, Array.from({ length: batch }, write).join(''))
      count(counts, 'sent', batch)
      await untilAnswers(socket, wanted)
      await sleep(2_000)
    })
    return counts
  }
}
