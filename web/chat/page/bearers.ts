/** Who is asking: `b.` and a key that this browser has made, or `j.` and a token of the shop's server. */
export const bearerOfKey = (key: string) => `b.${key}`
export const bearerOfToken = (token: string) => `j.${token}`

const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** 32 random bytes in base64url. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(33)) // 44 characters, of which the last is left out
  let key = ''
  for (let at = 0; at < 33; at += 3) {
    const [one = 0, two = 0, three = 0] = bytes.subarray(at, at + 3)
    const bits = (one << 16) | (two << 8) | three
    for (const shift of [18, 12, 6, 0]) key += characters.charAt((bits >> shift) & 63)
  }
  // The 43rd has four bits of the 32 bytes, and two that are none.
  return key.slice(0, 42) + characters.charAt(characters.indexOf(key.charAt(42)) & 60)
}

export const isKey = (key: unknown): key is string => typeof key === 'string' && /^[\w-]{43}$/.test(key)

/** Who a token says it is of, in short: enough to see that it is somebody else. It is not checked: the server does that. */
export function subjectOf(token: string): string {
  try {
    const { sub } = JSON.parse(atob((token.split('.')[1] || '').replace(/-/g, '+').replace(/_/g, '/')))
    return typeof sub === 'string' ? shortHash(sub) : ''
  } catch {
    return ''
  }
}

function shortHash(text: string): string {
  let hash = 2_166_136_261
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619)
  return (hash >>> 0).toString(36)
}
