import { sql } from 'kysely'
import type { Db } from '../../../platform/database/db.ts'
import type { OnChat } from '../visitors/visitor-store.ts'

/** How many panels of a channel this process has open; what the dead have left goes with it. */
export async function writeOpenPanels(
  db: Db,
  { accountId, channelId }: OnChat,
  { process, open }: { process: string; open: number },
): Promise<void> {
  await sql`
    with left_behind as (
      delete from chat_panels
      where account_id = ${accountId} and channel_id = ${channelId} and process <> ${process}
        and at < now() - interval '1 hour'
    )
    insert into chat_panels (account_id, channel_id, process, open)
    select account_id, id, ${process}, ${open}::integer from channels
    where account_id = ${accountId} and id = ${channelId}
    on conflict (account_id, channel_id, process) do update set open = excluded.open, at = excluded.at
  `.execute(db)
}
