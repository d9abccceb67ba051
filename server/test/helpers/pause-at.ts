import { sql } from 'kysely'
import type { Db } from '../../src/platform/database/db.ts'
import { until } from './until.ts'

/** Everybody who comes to this point of a write pauses there until `resume`, or until the statement timeout. */
export async function pauseAt(db: Db, trigger: string): Promise<void> {
  await sql`create table if not exists paused (n integer)`.execute(db)
  await sql`insert into paused values (1)`.execute(db)
  await sql`
    create or replace function pause_here() returns trigger language plpgsql as
    $$ begin
      while exists (select from paused) loop perform pg_sleep(0.05); end loop;
      return new;
    end $$
  `.execute(db)
  const when =
    trigger === 'deferred'
      ? 'create constraint trigger pause_here after insert on ledger deferrable initially deferred for each row'
      : `create trigger pause_here ${trigger}`
  await sql`${sql.raw(when)} execute function pause_here()`.execute(db)
}

/** Returns once the paused statements have ended. */
export async function resume(db: Db): Promise<void> {
  await sql`delete from paused`.execute(db)
  const others = sql`
    select from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()
  `
  await until(async () => (await others.execute(db)).rows.length === 0, 'what was paused never ended')
  for (const table of ['grant_keys', 'balances', 'ledger', 'messages']) {
    await sql`drop trigger if exists pause_here on ${sql.table(table)}`.execute(db)
  }
}

/** The process id of the connection that is paused. */
export async function untilPaused(db: Db): Promise<number | undefined> {
  let pid: number | undefined
  const isPaused = async () => {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'
    `.execute(db)
    pid = rows[0]?.pid
    return pid !== undefined
  }
  await until(isPaused, 'nobody came to this point')
  return pid
}
