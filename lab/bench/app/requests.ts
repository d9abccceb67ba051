import type { Client } from 'pg'

/** A kind of request that the app sends, and how to make one of them; `answered` is told the answer. */
export type AskedFor = { name: string; path: () => string; answered?: (body: string) => void }

/** As many places to begin at as there are requests of a kind. */
const positions = 200

/** The requests of the app's lists, at their beginning and anywhere in them. */
export async function appRequests(client: Client): Promise<AskedFor[]> {
  return [...(await inboxRequests(client)), ...(await contactRequests(client)), ...(await logRequests(client))]
}

async function inboxRequests(client: Client): Promise<AskedFor[]> {
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

async function contactRequests(client: Client): Promise<AskedFor[]> {
  const contacts = await anyOf(client, `select id as value from contacts where ${ofOwner}`)
  const { rows } = await client.query(`select id from lists where ${ofOwner} and name = 'List 0'`)
  const list = `/api/contacts?listId=${rows[0].id}`
  return [
    { name: 'contacts', path: () => '/api/contacts' },
    { name: 'contacts, any page', path: () => `/api/contacts?before=${contacts()}` },
    { name: 'contacts by name: all of them', path: () => '/api/contacts?q=first' },
    { name: 'contacts by name: a few', path: () => `/api/contacts?q=last${4_000 + Math.floor(Math.random() * 999)}` },
    { name: 'contacts by name: nobody', path: () => '/api/contacts?q=nobody' },
    { name: 'contacts by phone', path: () => '/api/contacts?q=%2B1555000' },
    { name: 'members of a list', path: () => list },
    { name: 'members by name: nobody', path: () => `${list}&q=nobody` },
    { name: 'lists', path: () => '/api/lists' },
    { name: 'search by name: nobody', path: () => '/api/search?q=nobody' },
  ]
}

async function logRequests(client: Client): Promise<AskedFor[]> {
  const contacts = await anyOf(client, `select contact_id as value from conversations where ${ofOwner}`)
  const deliveries = await anyOf(
    client,
    `select id as value from deliveries where ${ofOwner} and hashtext(id) % 500 = 0`,
  )
  const log = '/api/deliveries'
  return [
    ...['all', 'sent', 'failed', 'waiting'].flatMap((filter) => [
      { name: `log, ${filter}`, path: () => `${log}?filter=${filter}` },
      { name: `log, ${filter}, any page`, path: () => `${log}?filter=${filter}&before=${deliveries()}~` },
    ]),
    { name: 'log of a contact', path: () => `${log}?q=${contacts()}` },
    { name: 'log by name: many', path: () => `${log}?q=first1` },
    { name: 'log by name: nobody', path: () => `${log}?q=nobody` },
    { name: 'log: one reply', path: () => `${log}/${deliveries()}` },
    { name: 'log: counts', path: () => `${log}/counts` },
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
