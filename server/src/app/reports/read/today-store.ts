import { sql } from 'kysely'
import type { Today } from '../../../journey/channels/use.ts'
import { isChannelId } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'
import { noChannel } from '../sums/quarter-store.ts'

type Row = { channel: number; label: string | null; messagesIn: number; messagesOut: number }

const none = { in: 0, out: 0 }

/** Messages of this day in the account's time zone, as they are counted so far: a few seconds late. */
export async function readToday(db: Db, accountId: AccountId): Promise<Today> {
  const { rows } = await sql<Row>`
    select d.channel, h.label, d.messages_in, d.messages_out
    from accounts a
    join report_days d on d.account_id = ${accountId} and d.day = (now() at time zone a.time_zone)::date
    left join report_channels h on h.account_id = ${accountId} and h.id = d.channel
    where a.id = ${accountId}
  `.execute(db)
  const byLabel = new Map(rows.map((row) => [row.label, { in: row.messagesIn, out: row.messagesOut }]))
  // Of some custom channels the names are forgotten, so these are what is left of all.
  const custom = { ...none }
  for (const { channel, label, messagesIn, messagesOut } of rows) {
    const sign = channel === noChannel ? 1 : label !== null && isChannelId(label) ? -1 : 0
    custom.in += sign * messagesIn
    custom.out += sign * messagesOut
  }
  return { custom, of: (label) => byLabel.get(label) ?? none }
}
