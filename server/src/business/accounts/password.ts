import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { limits } from '@patchbay/contract/limits.ts'
import { openFairShare } from '../../platform/database/fair-share.ts'
import { networkOf } from '../../platform/https-server/client-address.ts'
import { Refusal } from '../../platform/refusal.ts'

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

/** The hash of a random password: checked where there is no user, so that the answer takes as long. */
let hashOfNobody: Promise<string> | undefined

/** Who has a password checked. `isKnown`: the user signed in from this address before, or is signed in. */
export type Client = { address: string; isKnown: boolean }

/**
 * Each check takes a thread and 19 MiB for some 20 ms: three at a time for strangers, one of a client address, and two
 * others for known addresses. Clients take turns, and a network with many addresses has a part of what may wait.
 */
const forKnown = openFairShare({ slots: 2, mostWaiting: 20, longestWaitMs: 10_000 })
const forNetworks = openFairShare({ slots: 64, mostWaiting: 64, longestWaitMs: 10_000 })
const forStrangers = openFairShare({ slots: 3, mostWaiting: 20, longestWaitMs: 10_000 })

/** Whether it is the user's password; false without a user. Few are checked at a time; refuses as busy when too many wait. */
export async function verifyPassword(
  passwordHash: string | undefined,
  password: string,
  { address, isKnown }: Client,
): Promise<boolean> {
  hashOfNobody ??= hash(newPassword())
  // A stored text that is no hash, as of an account without a password, matches nothing and takes as long to say so.
  const own = passwordHash?.startsWith('$argon2') ? passwordHash : undefined
  const expected = own ?? (await hashOfNobody)
  const isMatch = () => verify(expected, password).catch(() => false) // a hash that cannot be read matches nothing
  const check = async () => (await isMatch()) && own !== undefined
  if (isKnown) return forKnown(address, check)
  return forNetworks(networkOf(address), () => forStrangers(address, check))
}
