import { sql } from 'kysely'
import type { Db } from '../../../platform/database/db.ts'
import type { EntryId } from '../../../platform/ids.ts'
import type { Turn } from '../../conversations/turn-store.ts'

/** What a built-in channel knows of a message besides its text. */
export type ChannelDetails = {
  seq: bigint
  /** The button that was tapped. What a provider hands us may be anybody's invention. */
  choice: EntryId | null
  /** Whether that button is below the message of ours that was tapped. */
  isOnMessage: boolean
  /** It opens the conversation, as a tap on Start does. */
  opens: boolean
  /** What the link said by which they came. */
  start: string | null
  /** Since it was written, where it came later than that: what waits while nobody can be called is as old as its provider says. */
  secondsAgo: number | null
}

/** The same number as of messages. */
const mostRead = 200

/** Of the messages that a turn answers, what came over a built-in channel with them. */
export async function readChannelDetails(
  db: Db,
  { accountId, contactId, fromSeq, claimedSeq }: Turn,
): Promise<ChannelDetails[]> {
  const { rows } = await sql<Omit<ChannelDetails, 'seq'> & { seq: string }>`
    select m.seq, d.data ->> 'choice' as choice, d.data ? 'opens' as opens, d.data ->> 'start' as start,
      greatest(0, extract(epoch from now() - d.provider_at))::float8 as seconds_ago,
      exists (
        select from delivery_parts p
        where p.account_id = m.account_id and p.channel_id = m.channel and p.provider_id = d.reply_to
          and p.contact_id = m.contact_id
          and p.content -> 'choices' @> jsonb_build_array(jsonb_build_object('id', d.data -> 'choice'))
      ) as is_on_message
    from messages m join message_details d on d.account_id = m.account_id and d.message_id = m.id
    where m.account_id = ${accountId} and m.contact_id = ${contactId} and m.direction = 'incoming'
      and m.seq between ${String(fromSeq)} and ${String(claimedSeq)}
    order by m.seq desc
    limit ${mostRead}
  `.execute(db)
  return rows.map((row) => ({ ...row, seq: BigInt(row.seq) }))
}
