import { randomBytes } from 'node:crypto'

const processPart = randomBytes(6).toString('base64url')
let requests = 0

/** An id that is unique across restarts and machines, and cheaper than random bytes for each request. */
export function newRequestId(): string {
  requests += 1
  return `req_${processPart}${requests.toString(36)}`
}
