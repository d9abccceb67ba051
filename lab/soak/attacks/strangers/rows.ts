import type { Client } from 'pg'
import type { Counts } from '../attack.ts'

/** A chat that was flooded, and how many new people its limits let in; undefined: whoever comes. */
export type Limited = { what: string; channelId: string; most: (minutes: number) => number; isExact?: boolean }

const read = `
  select (select count(*)::int from contact_addresses where channel_id = $1) as contacts,
    (select count(*)::int from messages where channel = $1) as messages, d.contacts as "dayContacts",
    d.messages as "dayMessages", d.refused, n.attention_reason as attention
  from channels n left join (
    select channel_id, sum(contacts)::int as contacts, sum(messages)::int as messages, sum(refused)::int as refused
    from chat_days group by channel_id
  ) d on d.channel_id = n.id
  where n.id = $1`

/** What a flood has left behind beside what its limits allow, and what the rows of the day say of it. */
export async function readRows(
  client: Client,
  { what, channelId, most, isExact }: Limited,
  minutes: number,
): Promise<Counts> {
  const { rows } = await client.query(read, [channelId])
  const { contacts, messages, dayContacts, dayMessages, refused, attention } = rows[0] ?? {}
  const limit = most(minutes)
  const breaches = {
    [`${what}: contacts beyond the ${limit} that may come`]: Math.max(0, contacts - limit),
    [`${what}: contacts fewer than the ${limit} that may come`]: isExact ? Math.max(0, limit - contacts) : 0,
    [`${what}: contacts that the day does not know`]: Math.abs(contacts - dayContacts),
    [`${what}: messages that the day does not know`]: Math.abs(messages - dayMessages),
    [`${what}: nobody got in`]: contacts === 0 ? 1 : 0,
  }
  return {
    [`${what}: contacts kept`]: contacts,
    [`${what}: contacts that may come`]: limit,
    [`${what}: messages kept`]: messages,
    [`${what}: refused, by the row of the day`]: refused,
    ...(attention && { [`${what}: its owner is told "${attention}"`]: 1 }),
    ...Object.fromEntries(Object.entries(breaches).flatMap(([rule, n]) => (n > 0 ? [[`broken: ${rule}`, n]] : []))),
  }
}
