import { sql } from 'kysely'
import type { Db } from '../../../platform/database/db.ts'
import type { MessageId, UserId } from '../../../platform/ids.ts'
import type { ChatRef } from '../visitors/visitor-store.ts'

/** Of a chat, what went over this channel and nothing else of the contact. Times are milliseconds since 1970. */
export type StoredChat = {
  isClosed: boolean
  /** It is the chat that a browser had before a customer signed in there. */
  isMembers: boolean
  messages: StoredMessage[]
  lines: StoredLine[]
  /** The greatest number. */
  last: number
  /** The greatest number of what was read in the browser. */
  read: number
  lastAt: number | null
  lastIsTheirs: boolean
  handler: 'bot' | 'person' | 'off' | null
  handlerReason: string | null
  handlerName: string | null
  hasHandlerUser: boolean
  isBotActive: boolean
  isWaiting: boolean
  /** Since when they wait for a person. */
  waitsForMs: number | null
  hasEmail: boolean
}

export type StoredMessage = {
  id: MessageId
  seq: number
  at: number
  author: 'contact' | 'bot' | 'person' | 'api'
  userName: string | null
  text: string
  sid: string | null
  choices: { id: string; title: string }[] | null
  file: { state: string; name: string | null; contentType: string; sizeBytes: number | null } | null
}

export type StoredLine = {
  id: string
  seq: number
  at: number
  kind: 'taken over' | 'handed back'
  userId: UserId | null
  userName: string | null
}

/** Which part of it: after or before a number, or the end of it. */
export type Part = { after?: number | undefined; before?: number | undefined; limit: number }

/** More lines than anybody reads. */
const mostLines = 100

/** With a part of the chat, what is true of it now, in one statement. Undefined: it is not there (any more). */
export async function readChat(
  db: Db,
  { accountId, channelId, contactId }: ChatRef,
  { after, before, limit }: Part,
): Promise<StoredChat | undefined> {
  const within = sql`
    ${after === undefined ? sql`` : sql`and m.seq > ${after}`} ${before === undefined ? sql`` : sql`and m.seq < ${before}`}
    order by m.seq ${after === undefined ? sql`desc` : sql`asc`} limit ${limit}`
  const { rows } = await sql<StoredChat>`
    with kept as materialized (
      select m.id, m.seq, m.created_at, m.author, m.user_id, m.body, m.message_sid
      from messages m
      where m.account_id = ${accountId} and m.contact_id = ${contactId} and m.channel = ${channelId} and m.kind = 'text'
        ${within}
    ), latest as materialized (
      select m.seq, m.created_at, m.direction from messages m
      where m.account_id = ${accountId} and m.contact_id = ${contactId} and m.channel = ${channelId} and m.kind = 'text'
      order by m.seq desc limit 1
    )
    select coalesce(k.stop_scope = 'team', false) as is_closed, k.signed_in_as is not null as is_members,
      coalesce((
        select json_agg(json_build_object(
          'id', o.id, 'seq', o.seq, 'at', ${millis('o.created_at')}, 'author', o.author, 'userName', u.name, 'text', o.body,
          'sid', o.message_sid, 'choices', (
            select p.content -> 'choices' from delivery_parts p
            where p.account_id = ${accountId} and p.delivery_id = o.id order by p.n desc limit 1
          ), 'file', case when f.message_id is not null then json_build_object(
            'state', f.state, 'name', f.file_name, 'contentType', f.content_type, 'sizeBytes', coalesce(b.size_bytes, f.size_bytes)
          ) end
        ) order by o.seq)
        from kept o
        left join users u on u.account_id = ${accountId} and u.id = o.user_id
        left join attachments f on f.account_id = ${accountId} and f.message_id = o.id
        left join media b on b.account_id = ${accountId} and b.id = f.media_id
      ), '[]') as messages,
      coalesce((
        select json_agg(json_build_object(
          'id', e.id, 'seq', e.seq, 'at', ${millis('e.at')}, 'kind', e.kind, 'userId', e.user_id, 'userName', u.name
        ) order by e.at)
        from (
          select e.* from conversation_events e
          where e.account_id = ${accountId} and e.contact_id = ${contactId} and e.kind in ('taken over', 'handed back')
            and e.seq >= ${after ?? sql`coalesce((select min(seq) from kept), 0)`}
            ${before === undefined ? sql`` : sql`and e.seq < ${before}`}
          order by e.at desc limit ${mostLines}
        ) as e left join users u on u.account_id = ${accountId} and u.id = e.user_id
      ), '[]') as lines,
      coalesce(l.seq, 0)::float8 as last, ${millis('l.created_at')} as last_at,
      coalesce(l.direction = 'incoming', false) as last_is_theirs,
      coalesce((
        select m.seq from messages m join deliveries d on d.account_id = ${accountId} and d.id = m.id
        where m.account_id = ${accountId} and m.contact_id = ${contactId} and m.channel = ${channelId}
          and m.direction = 'outgoing' and d.read_at is not null
        order by m.seq desc limit 1
      ), 0)::float8 as read,
      c.handler, c.handler_reason, h.name as handler_name, c.handler_user_id is not null as has_handler_user,
      a.bot_active as is_bot_active, c.waiting_since is not null as is_waiting,
      (extract(epoch from now() - c.waiting_since) * 1000)::float8 as waits_for_ms,
      (p.email is not null or k.left_email is not null) as has_email
    from contacts p
    join contact_channels k on k.account_id = ${accountId} and k.contact_id = p.id and k.channel_id = ${channelId}
    join accounts a on a.id = ${accountId}
    left join conversations c on c.account_id = ${accountId} and c.contact_id = p.id
    left join users h on h.account_id = ${accountId} and h.id = c.handler_user_id
    left join latest l on true
    where p.account_id = ${accountId} and p.id = ${contactId}
  `.execute(db)
  return rows[0]
}

function millis(column: string) {
  return sql`floor(extract(epoch from ${sql.raw(column)}) * 1000)::float8`
}

/** What became of a message that was posted; undefined: it was kept once, and is not here any more. */
export async function findPosted(
  db: Db,
  { accountId }: Pick<ChatRef, 'accountId'>,
  messageId: MessageId,
): Promise<{ seq: number; at: number; text: string } | undefined> {
  const { rows } = await sql<{ seq: number; at: number; text: string }>`
    select m.seq::float8 as seq, ${millis('m.created_at')} as at, m.body as text
    from messages m where m.account_id = ${accountId} and m.id = ${messageId}
  `.execute(db)
  return rows[0]
}

/** Whether a button with this entry was shown in this chat. What a browser says may be anybody's invention. */
export async function wasOffered(
  db: Db,
  { accountId, channelId, contactId }: ChatRef,
  choice: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from messages m join delivery_parts p on p.account_id = ${accountId} and p.delivery_id = m.id
    where m.account_id = ${accountId} and m.contact_id = ${contactId} and m.channel = ${channelId}
      and m.direction = 'outgoing' and p.content -> 'choices' @> ${JSON.stringify([{ id: choice }])}::jsonb
    limit 1
  `.execute(db)
  return rows.length > 0
}

/** Whether the message went over this channel. */
export async function isOfChat(
  db: Db,
  { accountId, channelId, messageId }: Pick<ChatRef, 'accountId' | 'channelId'> & { messageId: MessageId },
): Promise<boolean> {
  const { rows } = await sql`
    select from messages m where m.account_id = ${accountId} and m.id = ${messageId} and m.channel = ${channelId}
  `.execute(db)
  return rows.length > 0
}
