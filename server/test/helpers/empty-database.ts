import type { Pool } from 'pg'

/** More than so many bytes in a table are not worth deleting: a copy of the empty database takes less. */
const mostBytes = 512 * 1024

/** On a PostgreSQL of one's own, whose role is no superuser. */
const notAllowed = '42501'

/**
 * To be called with a new database. The function that it returns deletes every row that was written since. It returns
 * false where the database should not be used again: something else than rows was changed, or so much was written that
 * a new copy is cheaper.
 */
export async function openEmptying(pool: Pool): Promise<() => Promise<boolean>> {
  let before = await readShape(pool)
  return async () => {
    const now = await readShape(pool)
    if (now.text !== before.text || now.largest > mostBytes) return false
    try {
      await pool.query(deleting)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === notAllowed) return false
      throw error
    }
    if (now.hasLedger) before = await readShape(pool) // its trigger was altered
    return true
  }
}

type Shape = { text: string; largest: number; hasLedger: boolean }

/**
 * `text` differs after something was created, altered or dropped, not after vacuum or analyze. The table that the
 * migrations fill is never emptied.
 */
async function readShape(pool: Pool): Promise<Shape> {
  const { rows } = await pool.query<Shape>(`
    select concat_ws(' ', ${catalogs.map((name) => `(select (count(*), max(xmin::text::bigint)) from ${name})`)},
        (select md5(string_agg(m::text, ' ' order by m::text)) from schema_migrations m)) as text,
      (select max(pg_table_size(oid))::integer from pg_class where ${isOurs} and relkind = 'r') as largest,
      exists (select from ledger) as "hasLedger"`)
  const [shape] = rows
  if (!shape) throw new Error('the database has no tables')
  return shape
}

const isOurs = `relnamespace = 'public'::regnamespace`
const catalogs = [
  ...['pg_class', 'pg_attribute', 'pg_attrdef', 'pg_constraint', 'pg_trigger'],
  "pg_proc where pronamespace = 'public'::regnamespace",
  'pg_db_role_setting where setdatabase = (select oid from pg_database where datname = current_database())',
]

/** Without the triggers, of which one refuses all changes of the ledger, whoever makes them. */
const deleting = `
do $$
declare name text;
begin
  set local session_replication_role = replica;
  for name in
    select relname from pg_class
    where ${isOurs} and relkind = 'r' and relname <> 'schema_migrations' and pg_relation_size(oid) > 0
  loop
    if name <> 'ledger' then
      execute format('delete from %I', name);
    elsif exists (select from ledger) then
      alter table ledger disable trigger ledger_never_changes;
      delete from ledger;
      alter table ledger enable always trigger ledger_never_changes;
    end if;
  end loop;
  perform setval(oid, 1, false) from pg_class where ${isOurs} and relkind = 'S';
end $$`
