import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Refusal } from '../refusal.ts'

/**
 * Refuses requests that Node's parser accepts but a proxy in front of it may read differently (request smuggling): where
 * two servers disagree about the host of a request or where it ends, one client's request becomes part of another's.
 */
export function checkHead(request: IncomingMessage): Refusal | undefined {
  const { httpVersionMajor, httpVersionMinor, headers } = request
  if (httpVersionMajor !== 1 || httpVersionMinor > 1) return refuse('Use HTTP/1.1.')
  const hosts = countHosts(request.rawHeaders)
  if (hosts > 1 || (hosts === 0 && httpVersionMinor === 1)) return refuse('Send exactly one Host header.')
  const encoding = headers['transfer-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    return refuse('Transfer-Encoding may only be chunked.')
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue' && httpVersionMinor === 1) {
    return refuse('Expect may only be 100-continue.')
  }
  return undefined
}

/** Counts in the raw headers: the parsed ones keep only the first of several. */
function countHosts(rawHeaders: string[]): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts
}

function refuse(message: string): Refusal {
  return new Refusal('INVALID_REQUEST', message)
}

const processPart = randomBytes(6).toString('base64url')
let requests = 0

/** An id that is unique across restarts and machines, and cheaper than random bytes for each request. */
export function newRequestId(): string {
  requests += 1
  return `req_${processPart}${requests.toString(36)}`
}
