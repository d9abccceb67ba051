import { isId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { Position } from './position-store.ts'

/** A position as callers are given it: the `next` of a page, and the `before` of the page after it. */
export function writeCursor({ micros, contactId }: Position): string {
  return `${micros}.${contactId}`
}

export function readCursor(text: string | undefined): Position | undefined {
  if (text === undefined) return undefined
  const [, micros, contactId = ''] = /^(\d{1,17})\.(.*)$/s.exec(text) ?? []
  if (micros !== undefined && isId('con', contactId)) return { micros, contactId }
  throw new Refusal('INVALID_REQUEST', 'before must be the `next` of the page before.')
}
