import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { HookHeaders, HookRequest } from '../kind.ts'
import { retries } from './place.ts'

const header = 'x-twilio-signature'

/** The base64 of 20 bytes, once. */
export function hasSignature(headers: HookHeaders): boolean {
  const given = headers[header]
  return typeof given === 'string' && /^[A-Za-z0-9+/]{27}=$/.test(given)
}

/** A request of Twilio has some thirty. More would only cost time. */
const mostParameters = 1_000

/**
 * Whether it is signed with the auth token: HMAC-SHA1 of the address and all parameters. Of the address nobody says whether the port
 * is in it, and the fragment that we gave, so each way is tried.
 */
export function isSigned({ headers, body, query, urls }: HookRequest, authToken: string): boolean {
  const given = Buffer.from(String(headers[header]), 'base64')
  const isJson = String(headers['content-type']).startsWith('application/json')
  if (isJson && !hasHash(body, query)) return false
  const parameters = isJson ? '' : parametersOf(body)
  if (parameters === undefined) return false
  const all = urls.flatMap(withAndWithoutPort).flatMap((url) => [url, url + retries])
  return all.some((url) => {
    const expected = createHmac('sha1', authToken)
      .update(url + parameters)
      .digest()
    return expected.length === given.length && timingSafeEqual(expected, given)
  })
}

/** A body that is no form is in the signature by its hash, which is in the address. */
function hasHash(body: Buffer, query: URLSearchParams): boolean {
  const [expected, given] = [
    Buffer.from(hash('sha256', body)),
    Buffer.from(query.get('bodySHA256')?.toLowerCase() ?? ''),
  ]
  return expected.length === given.length && timingSafeEqual(expected, given)
}

/** Each name with its value, by the bytes of the names; of a name that comes more than once, its different values by their bytes. */
function parametersOf(body: Buffer): string | undefined {
  if (body.reduce((count, byte) => count + (byte === ampersand ? 1 : 0), 0) > mostParameters) return undefined
  const values = new Map<string, Set<string>>()
  for (const [name, value] of new URLSearchParams(body.toString('utf8'))) {
    values.set(name, (values.get(name) ?? new Set()).add(value))
  }
  const names = [...values.keys()].sort(byBytes)
  return names
    .map((name) =>
      [...(values.get(name) ?? [])]
        .sort(byBytes)
        .map((value) => name + value)
        .join(''),
    )
    .join('')
}

const ampersand = 0x26

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

/** With the port as it came, and without it; without one, with that of the protocol. */
function withAndWithoutPort(url: string): string[] {
  const [, protocol = '', host = '', rest = ''] = /^(https?:\/\/)([^/?#]*)(.*)$/s.exec(url) ?? []
  const bare = host.replace(/:\d+$/, '')
  const other = bare === host ? `${host}:${protocol === 'https://' ? 443 : 80}` : bare
  return [url, protocol + other + rest]
}
