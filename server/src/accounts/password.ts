import { randomBytes } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import { limits } from '@patchbay/contract/limits.ts'
import { Refusal } from '../platform/refusal.ts'

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
