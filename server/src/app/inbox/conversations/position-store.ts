import { type RawBuilder, sql } from 'kysely'
import type { ContactId } from '../../../platform/ids.ts'

/** Where the page before has ended: a time in microseconds, and the contact among those with the same time. */
export type Position = { micros: string; contactId: ContactId }

export type PageRequest = { after: Position | undefined; limit: number }

/** A `Date` has only milliseconds. */
export function micros(time: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`(extract(epoch from ${time}) * 1000000)::bigint`
}

export function timeOf({ micros: since }: Position): RawBuilder<Date> {
  return sql<Date>`timestamptz 'epoch' + ${since}::bigint * interval '1 microsecond'`
}
