import type { IncomingMessage } from 'node:http'
import { Refusal } from '../refusal.ts'

/**
 * Refuses what Node's parser lets pass and another server on the way may read differently: where two of them disagree
 * about whose request it is or where it ends, one client's request becomes part of another's.
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

/** In the headers as they came: among the parsed ones, the first of several is the only one. */
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
