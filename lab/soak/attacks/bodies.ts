import { setTimeout as sleep } from 'node:timers/promises'
import { incomingPath } from '../../common/public-api.ts'
import { openTenants } from '../tenants.ts'
import { type Attack, type Counts, count } from './attack.ts'
import { keepConnected, untilAnswers, writeAll } from './sockets.ts'

const mebibyte = 1024 * 1024

const head = (apiKey: string, length: number) =>
  `POST ${incomingPath} HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

/** One key, 550 bodies just below the size of a large one, sent except for their last bytes and then held open. */
export const openBodies: Attack = async (order, started) => {
  const { port } = order
  const tenants = started.use(openTenants(order))
  const { apiKey } = await tenants.make()
  const length = mebibyte - 1_024
  const almostAll = Buffer.alloc(length - 100, ' ')
  return async (stopping) => {
    const counts: Counts = {}
    await keepConnected({ sockets: 550, port, counts }, stopping, async (socket) => {
      await writeAll(socket, head(apiKey, length))
      await writeAll(socket, almostAll)
      count(counts, 'bodies')
      await socket.closed
    })
    return counts
  }
}

/** Two accounts that send large bodies as slowly as allowed, more at once than are admitted. */
export const slowUploads: Attack = async (order, started) => {
  const { port } = order
  const tenants = started.use(openTenants(order))
  const keys = [(await tenants.make()).apiKey, (await tenants.make()).apiKey]
  const [length, piece, pieceMs] = [12 * mebibyte, Buffer.alloc(100_000, ' '), 200]
  return async (stopping) => {
    const counts: Counts = {}
    let begun = 0
    await keepConnected({ sockets: 16, port, counts }, stopping, async (socket) => {
      begun += 1
      await writeAll(socket, head(keys[begun % keys.length] ?? '', length))
      count(counts, 'bodies')
      for (let sent = 0; sent < length && !stopping.aborted && !socket.socket.destroyed; sent += piece.length) {
        await writeAll(socket, piece.subarray(0, Math.min(piece.length, length - sent)))
        await sleep(pieceMs)
      }
      await Promise.race([socket.closed, sleep(5_000)])
    })
    return counts
  }
}

/** Fifty files of 10 MiB at a time, as fast as they are accepted. */
export const uploadFlood: Attack = async (order, started) => {
  const { port, seed } = order
  const tenants = started.use(openTenants(order))
  const { apiKey } = await tenants.make()
  const type = 'application/octet-stream'
  const file = Buffer.alloc(10 * mebibyte, '\x01 a file ').toString('base64')
  let sent = 0
  return async (stopping) => {
    const counts: Counts = {}
    await keepConnected({ sockets: 50, port, counts }, stopping, async (socket) => {
      sent += 1
      const about = { messageSid: `${seed} ${sent}`, fromId: `person ${sent % 10}`, toId: 'x', body: 'See the file' }
      const media = { mediaContentType: type, mediaUrl: `data:${type};base64,${file}` }
      const body = JSON.stringify({ customData: { ...about, ...media } })
      const wanted = socket.answers + 1
      await writeAll(socket, head(apiKey, body.length))
      await writeAll(socket, body)
      await untilAnswers(socket, wanted)
    })
    return counts
  }
}
