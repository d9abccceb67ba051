import { sql } from 'kysely'

/**
 * A part of a select that has PostgreSQL find rows by their keys until the transaction ends. For some hundreds of keys it
 * would rather read all of a table of some ten thousand rows, because it believes that most of it is on disk; batch after
 * batch, that is most of the work.
 */
export const byKeys = sql`
  set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true)`
