import { createHmac, timingSafeEqual } from 'node:crypto'

/** What the shop says of its customer, all of it signed. */
export type Member = { sub: string; exp: number; name: string | null; email: string | null }

/** `check`: the first that failed. A token is `expired` only if everything else in it is right. */
export type TokenReading =
  | { is: 'member'; member: Member }
  | { is: 'expired' }
  | { is: 'refused'; check: 'form' | 'alg' | 'signature' | 'aud' | 'exp' | 'nbf' | 'sub' | 'name' | 'email' }

const mostCharacters = 2_048
const longestSeconds = 24 * 3_600
/** Clocks differ. */
const leewaySeconds = 60

type Asked = { token: string; secrets: readonly string[]; audience: string; nowSeconds: number }

/** Reads a JSON Web Token that is signed with HS256 by one of the secrets, and no other. */
export function readMemberToken({ token, secrets, audience, nowSeconds }: Asked): TokenReading {
  const refuse = (check: Extract<TokenReading, { is: 'refused' }>['check']): TokenReading => ({ is: 'refused', check })
  const parts = token.length > mostCharacters ? null : tokenForm.exec(token)
  if (!parts) return refuse('form')
  const [, head = '', body = '', signature = ''] = parts
  if (parse(head)?.alg !== 'HS256') return refuse('alg')
  const given = Buffer.from(signature, 'base64url')
  // All of them are compared, so that time does not tell which one it was.
  const fits = secrets.map((secret) => isEqual(createHmac('sha256', secret).update(`${head}.${body}`).digest(), given))
  if (!fits.includes(true)) return refuse('signature')
  const { sub, aud, exp, nbf, name = null, email = null } = parse(body) ?? {}
  if (aud !== audience) return refuse('aud')
  if (typeof exp !== 'number' || !(exp <= nowSeconds + longestSeconds + leewaySeconds)) return refuse('exp')
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= nowSeconds + leewaySeconds)) return refuse('nbf')
  if (!isText(sub) || sub.length === 0 || sub.length > mostSub) return refuse('sub')
  if (name !== null && !isText(name)) return refuse('name')
  if (email !== null && !isText(email)) return refuse('email')
  return exp <= nowSeconds ? { is: 'expired' } : { is: 'member', member: { sub, exp, name, email } }
}

const tokenForm = /^([\w-]+)\.([\w-]+)\.([\w-]{43})$/
const mostSub = 128

const isEqual = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other)

/** What can be stored as it is. */
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0')

function parse(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
