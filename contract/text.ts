import type { TSchemaOptions } from 'typebox'
import { Type } from './schema.ts'

/** A string the caller may leave out; `null` and `''` count as left out (see `given`). */
export function optionalText(maxLength: number, description: string) {
  return Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, description }))
}

/** A string that must hold something visible. */
export function requiredText(maxLength: number, description: string) {
  return Type.String({ minLength: 1, maxLength, pattern: '\\S', description })
}

const visible = '[^\\s\\p{Cf}\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800]'

/** Text for a person: something must be left when white space and invisible characters are taken away. */
export function visibleText(maxLength: number, description: string) {
  return Type.String({ minLength: 1, maxLength, pattern: visible, description })
}

export function isVisible(text: string): boolean {
  return new RegExp(visible, 'u').test(text)
}

/** A value of an answer that may be absent, which is then `null` and never missing. */
export function nullableText(options: TSchemaOptions) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })
}

/** The value, or undefined when the caller gave none. */
export function given(value: string | null | undefined): string | undefined {
  return value === null || value === '' ? undefined : value
}

/** The name of a person. A blank one counts as left out too: kept, it would keep the real one out for ever. */
export function givenName(value: string | null | undefined): string | undefined {
  return value?.trim() ? value : undefined
}
