import { sql } from 'kysely'

/** The provider's words for what failed, with its code, of a part `o`. */
export const failedWords = sql`coalesce(nullif(concat_ws(' ', o.error_code, o.error_detail), ''), 'The provider does not say why.')`
