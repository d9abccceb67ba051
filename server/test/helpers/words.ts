import { sql } from 'kysely'
import type { Db } from '../../src/platform/database/db.ts'

type Column = { table: string; column: string; type: string }

/**
 * Every column of every table, also of future ones, that contains any of these words, as `table.column`. Ignores case;
 * binary columns are searched too.
 */
export async function columnsWith({ db }: { db: Db }, words: string[]): Promise<string[]> {
  const { rows: columns } = await sql<Column>`
    select c.relname as "table", a.attname as column, format_type(a.atttypid, null) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'm') and a.attnum > 0 and not a.attisdropped
    order by 1, 2
  `.execute(db)
  const places: string[] = []
  for (const { table, column, type } of columns) {
    const value = sql.ref(column)
    const has = (word: string) =>
      type === 'bytea'
        ? sql`position(convert_to(${word}, 'UTF8') in ${value}) > 0`
        : sql`position(lower(${word}) in lower(${value}::text)) > 0`
    const { rows } = await sql`
      select from ${sql.table(table)} where ${sql.join(words.map(has), sql` or `)} limit 1
    `.execute(db)
    if (rows.length > 0) places.push(`${table}.${column}`)
  }
  return places
}
