import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { incomingPath } from '../../common/public-api.ts'
import { connect, type Target } from './connection.ts'

/** Files sent all at once, each on a connection of its own and each inside its message as a data URI. */
export type Upload = Target & { apiKey: string; files: number; fileBytes: number }

export type UploadOutcome = { seconds: number; statuses: Record<string, number> }

export async function upload(job: Upload): Promise<UploadOutcome> {
  const rest = shareableRest(job.fileBytes)
  const startedAt = performance.now()
  const answers = await Promise.all(Array.from({ length: job.files }, (_, file) => send(job, file, rest)))
  const statuses: Record<string, number> = {}
  for (const status of answers) statuses[status] = (statuses[status] ?? 0) + 1
  return { seconds: (performance.now() - startedAt) / 1_000, statuses }
}

/** Bytes at the start that make each file its own, so that none is recognised as one already kept. Divisible by 3. */
const ownBytes = 60
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const headerChunk = Buffer.from('0000000d4948445200000100000001000802000000d3103f31', 'hex')
const dataChunk = Buffer.from('0010000049444154', 'hex')

/** The bulk of a file in base64, the same for all: fifty of their own would measure this process's memory. */
function shareableRest(fileBytes: number): Buffer {
  return Buffer.from(randomBytes(fileBytes - ownBytes).toString('base64'), 'latin1')
}

/** The answer's status, or `dropped` when the server ended the connection without one. */
async function send({ apiKey, ...target }: Upload, file: number, rest: Buffer): Promise<string> {
  const answer = Promise.withResolvers<string>()
  const { socket, close } = await connect(target, {
    answered: (status) => answer.resolve(String(status)),
    closed: () => answer.resolve('dropped'),
  })
  const beginning = Buffer.concat([pngSignature, headerChunk, dataChunk, randomBytes(ownBytes)]).subarray(0, ownBytes)
  const before = `{"customData":{"messageSid":"MM${randomBytes(16).toString('hex')}","fromId":"sender-${file}","toId":"shop","body":"See the picture","mediaContentType":"image/png","mediaUrl":"data:image/png;base64,${beginning.toString('base64')}`
  const after = '"}}'
  const length = before.length + rest.length + after.length
  const head = `POST ${incomingPath}?apiKey=${apiKey} HTTP/1.1\r\nhost: localhost:${target.port}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
  socket.write(head + before)
  await writeInPieces(socket, rest, answer.promise)
  if (socket.writable) socket.write(after)
  const status = await answer.promise
  close()
  return status
}

/** Stops when the answer is there: a refusal need not wait for the end of what it refuses. */
async function writeInPieces(socket: Socket, bytes: Buffer, answered: Promise<unknown>): Promise<void> {
  const pieceBytes = 64 * 1024
  for (let at = 0; at < bytes.length && socket.writable; at += pieceBytes) {
    if (socket.write(bytes.subarray(at, at + pieceBytes))) continue
    const drained = new Promise<'drained'>((resolve) => socket.once('drain', () => resolve('drained')))
    if ((await Promise.race([drained, answered])) !== 'drained') return
  }
}
