import type { Client } from 'pg'

/** A kind of request that the app sends, and how to make one of them. */
export type AskedFor = { name: string; path: () => string }

/** As many places to begin at as there are requests of a kind. */
const positions = 200

/** The requests of the inbox: every list, at its beginning and anywhere in it. */
export async function inboxRequests(client: Client): Promise<AskedFor[]> {
  const contacts = await anyOf(client, `select contact_id as value from conversations where ${ofOwner}`)
  const active = await anyOf(client, `select ${cursor('active_at')} as value from conversations where ${ofOwner}`)
  const waiting = await anyOf(
    client,
    `select ${cursor('waiting_since')} as value from conversations where ${ofOwner} and waiting_since is not null`,
  )
  const { rows } = await client.query(
    `select contact_id, last_seq from conversations where ${ofOwner} order by last_seq desc limit 1`,
  )
  const long = rows[0]
  const list = '/api/conversations'
  return [
    { name: 'session: what any request costs', path: () => '/api/session' },
    { name: 'conversations', path: () => list },
    { name: 'conversations, any page', path: () => `${list}?before=${active()}` },
    ...['unread', 'failed'].flatMap((filter) => [
      { name: filter, path: () => `${list}?filter=${filter}` },
      { name: `${filter}, any page`, path: () => `${list}?filter=${filter}&before=${active()}` },
    ]),
    { name: 'waiting', path: () => `${list}?filter=waiting` },
    { name: 'waiting, any page', path: () => `${list}?filter=waiting&before=${waiting()}` },
    { name: 'counts', path: () => '/api/counts' },
    { name: 'one conversation', path: () => `${list}/${contacts()}` },
    { name: 'thread', path: () => `${list}/${contacts()}/messages` },
    {
      name: 'thread of the longest, any page',
      path: () => `${list}/${long.contact_id}/messages?before=${1 + Math.floor(Math.random() * long.last_seq)}`,
    },
  ]
}

const ofOwner = 'account_id = (select owner_account_id from installation)'
const cursor = (time: string) => `(extract(epoch from ${time}) * 1000000)::bigint || '.' || contact_id`

/** Values from anywhere in a table, one after the other. */
async function anyOf(client: Client, query: string): Promise<() => string> {
  const { rows } = await client.query<{ value: string }>(
    `select value from (${query}) as every order by random() limit ${positions}`,
  )
  let taken = 0
  return () => rows[taken++ % rows.length]?.value ?? ''
}
