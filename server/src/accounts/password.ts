import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { limits } from '@patchbay/contract/limits.ts'
import { busy, Refusal } from '../platform/refusal.ts'

/** argon2id with the package's cost, which is the one OWASP names: 19 MiB, 2 passes. */
export async function hashPassword(password: string): Promise<string> {
  const { from, to } = limits.password
  if (password.length < from || password.length > to) {
    throw new Refusal('INVALID_REQUEST', `A password must have ${from} to ${to} characters.`)
  }
  return hash(password)
}

export function newPassword(): string {
  return randomBytes(15).toString('base64url')
}

/** Of a random password: checked where there is no user, so that the answer takes as long. */
let hashOfNobody: Promise<string> | undefined

/** Each check takes a thread and 19 MiB for some 20 ms. */
const mostAtOnce = 4
const mostWaiting = 20
let running = 0
const waiting: (() => void)[] = []

/** Whether it is the user's password; false without a user. A few at a time, the others queue, and refuses when too many do. */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  hashOfNobody ??= hash(newPassword())
  // A stored text that is no hash, as of an account without a password, matches nothing and takes as long to say so.
  const own = passwordHash?.startsWith('$argon2') ? passwordHash : undefined
  const expected = own ?? (await hashOfNobody)
  if (running >= mostAtOnce) {
    if (waiting.length >= mostWaiting) throw busy()
    await new Promise<void>((start) => waiting.push(start))
  } else running += 1
  try {
    return (await isHashOf(expected, password)) && own !== undefined
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

/** A hash that cannot be read matches nothing. */
async function isHashOf(expected: string, password: string): Promise<boolean> {
  return verify(expected, password).catch(() => false)
}
