import { randomBytes } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import { Refusal } from '../platform/refusal.ts'

const shortest = 8
const longest = 256

/** argon2id with the package's cost, which is the one OWASP names: 19 MiB, 2 passes. */
export async function hashPassword(password: string): Promise<string> {
  if (password.length < shortest || password.length > longest) {
    throw new Refusal('INVALID_REQUEST', `A password must have ${shortest} to ${longest} characters.`)
  }
  return hash(password)
}

export function newPassword(): string {
  return randomBytes(15).toString('base64url')
}
