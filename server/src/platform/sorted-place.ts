import { type IdOf, isId } from './ids.ts'
import { Refusal } from './refusal.ts'

/** Where a page of a sorted list goes on: after this value and, among those that have it, this id. */
export type SortedPlace<Id extends string = string> = { key: string; id: Id }

export function writePlace({ key, id }: SortedPlace): string {
  return `${Buffer.from(key).toString('base64url')}.${id}`
}

/** `form` is what the value must look like; PostgreSQL takes no NUL. */
export function readPlace<Prefix extends keyof IdOf>(
  prefix: Prefix,
  text: string,
  form = /^[^\0]*$/,
): SortedPlace<IdOf[Prefix]> {
  const [given = '', id = ''] = text.split('.', 2)
  const key = Buffer.from(given, 'base64url').toString()
  if (text.includes('.') && form.test(key) && isId(prefix, id)) return { key, id }
  throw new Refusal('INVALID_REQUEST', 'before must be the next of a page.')
}
