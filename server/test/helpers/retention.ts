import { sql } from 'kysely'
import { removeOver } from '../../src/app/removal/retention/remove-over.ts'
import { countReports } from '../../src/app/reports/count-reports.ts'
import { type KeepDays, readKeepDays } from '../../src/platform/config/keep-days.ts'
import type { Db } from '../../src/platform/database/db.ts'

/** A round that counts messages and then removes what is over, as a worker would. */
export async function removeOld(db: Db, keepDays: Partial<KeepDays> = {}, notedSeconds = 0) {
  await countReports(db)
  return removeCounted(db, keepDays, notedSeconds)
}

/** A `messageSid` counts as noted at once, so two rounds are enough. */
export async function removeCounted(db: Db, keepDays: Partial<KeepDays> = {}, notedSeconds = 0) {
  return removeOver({
    db,
    keepDays: { ...readKeepDays(() => undefined), ...keepDays },
    hint: () => {},
    pause: async () => {},
    notedSeconds,
  })
}

const dayMs = 86_400_000

/** The id that a message would have if it had come so many days earlier. */
export function olderId(id: string, days: number): string {
  const ms = Number.parseInt(id.slice(4, 16), 16) - days * dayMs
  return `${id.slice(0, 4)}${ms.toString(16).padStart(12, '0')}${id.slice(16)}`
}

/**
 * Makes everything of all accounts so many days older, or what belongs to these messages: also their ids, which are made of
 * the time.
 */
export async function makeOlder(db: Db, days: number, ids?: string[]): Promise<void> {
  const older = (column: string) => sql`left(${sql.ref(column)}, 4) || lpad(to_hex(
      ('x0000' || substr(${sql.ref(column)}, 5, 12))::bit(64)::bigint - ${days * dayMs}::bigint
    ), 12, '0') || substr(${sql.ref(column)}, 17)`
  const isOne = (column: string) => (ids ? sql`${sql.ref(column)} = any (${ids})` : sql`true`)
  const by = sql`${days} * interval '1 day'`
  await db.transaction().execute(async (tx) => {
    await sql`alter table attachments drop constraint attachments_account_id_message_id_fkey`.execute(tx)
    await sql`
      update removed_sids r set message_id = ${older('r.message_id')} from messages m
      where m.account_id = r.account_id and m.id = r.message_id and ${isOne('m.id')}
    `.execute(tx)
    await sql`update messages set id = ${older('id')}, created_at = created_at - ${by} where ${isOne('id')}`.execute(tx)
    await sql`update deliveries set id = ${older('id')} where ${isOne('id')}`.execute(tx)
    await sql`
      update delivery_attempts set delivery_id = ${older('delivery_id')}, at = at - ${by} where ${isOne('delivery_id')}
    `.execute(tx)
    await sql`update attachments set message_id = ${older('message_id')} where ${isOne('message_id')}`.execute(tx)
    await sql`
      update report_deliveries set message_id = ${older('message_id')}, created_at = created_at - ${by}
      where ${isOne('message_id')}
    `.execute(tx)
    await sql`
      update answers set message_id = ${older('message_id')}, created_at = created_at - ${by}
      where ${ids ? isOne('message_id') : sql`true`}
    `.execute(tx)
    await sql`
      update message_search set message_ids = array(
        select case when ${isOne('m.id')} then ${older('m.id')} else m.id end
        from unnest(message_ids) with ordinality as m (id, n) order by m.n
      )
    `.execute(tx)
    await sql`
      alter table attachments add constraint attachments_account_id_message_id_fkey
      foreign key (account_id, message_id) references messages (account_id, id) on delete cascade
    `.execute(tx)
    if (ids) return
    for (const table of ['conversation_notes', 'conversation_events']) {
      await sql`update ${sql.table(table)} set at = at - ${by}`.execute(tx)
    }
    await sql`
      update conversations set created_at = created_at - ${by}, active_at = active_at - ${by},
        active_step = activity_step(active_at - ${by})
    `.execute(tx)
    await sql`update report_accounts set counted_to = counted_to - ${by}`.execute(tx)
    await sql`update installation set searched_to = searched_to - ${by}`.execute(tx)
  })
}
