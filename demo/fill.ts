import { setTimeout as sleep } from 'node:timers/promises'
import { business, type Customer, customers, type Line } from './business.ts'
import type { Client } from './client.ts'
import { drawWheel } from './picture.ts'

/** Plays the customers and the shop through the API. */
export async function fill(client: Client): Promise<void> {
  for (const colleague of business.colleagues) await join(client, colleague)
  const listIds = new Map<string, string>()
  for (const name of business.lists) listIds.set(name, (await client.app('POST', '/api/lists', { name })).id)
  const wheel = `data:image/png;base64,${drawWheel().toString('base64')}`
  // One after another, the one who wrote last at the end: contacts and deliveries are listed in the order they were made.
  for (const customer of customers.toSorted((a, b) => b.minutesAgo - a.minutesAgo)) {
    await play(client, { customer, listIds, wheel })
  }
  for (const reply of business.savedReplies) await client.app('POST', '/api/saved-replies', reply)
  await untilQuiet(client)
  for (const { fromId } of customers.filter(({ isUnread }) => !isUnread)) await markRead(client, fromId)
  for (const customer of customers) await workOn(client, customer)
}

/** What the team does besides answering. */
async function workOn(client: Client, { fromId, tags = [], note, isClosed, isSnoozed }: Customer): Promise<void> {
  if (tags.length === 0 && !note && !isClosed && !isSnoozed) return
  const path = `/api/conversations/${await findContact(client, fromId)}`
  for (const tag of tags) await client.app('POST', `${path}/tags`, { tag })
  if (note) await client.app('POST', `${path}/notes`, { body: note, clientId: id(fromId, 99) })
  const { messages } = await client.app('GET', `${path}/messages`)
  const { seq } = messages.at(-1)
  if (isClosed) await client.app('POST', `${path}/close`, { seq })
  const until = new Date(Date.now() + 20 * 3_600_000).toISOString()
  if (isSnoozed) await client.app('POST', `${path}/snooze`, { seq, until })
}

/** By an invitation of the owner. */
async function join(client: Client, colleague: { name: string; email: string; password: string }): Promise<void> {
  const { url } = await client.app('POST', '/api/team/invitations', { isOwner: false })
  await client.anyone('POST', '/api/links/invitation', { token: url.slice(url.indexOf('#') + 1), ...colleague })
}

type Playing = { customer: Customer; listIds: Map<string, string>; wheel: string }

async function play(client: Client, { customer, listIds, wheel }: Playing): Promise<void> {
  const { fromId, firstName, lastName, email, channel } = customer
  const person = { fromId, firstName, lastName, ...(email && { email }) }
  let contactId = ''
  for (const [n, line] of customer.lines.entries()) {
    if (line.by === 'contact') await receive(client, { line, sid: `${fromId}-${n}`, person, channel, wheel })
    else if (line.by === 'api') {
      const sent = { ...person, customChannel: channel, body: line.text }
      contactId = (await client.v1('/send_custom_channel_message', { customData: sent })).contactId
    } else
      await client.app('POST', `/api/conversations/${contactId}/replies`, { body: line.text, clientId: id(fromId, n) })
    contactId ||= await findContact(client, fromId)
    if (line.by === 'contact' && line.asks) await untilAnswered(client, contactId)
  }
  if (customer.phone) await client.app('PATCH', `/api/contacts/${contactId}`, { phone: customer.phone })
  for (const name of customer.lists ?? [])
    await client.app('PUT', `/api/contacts/${contactId}/lists/${listIds.get(name)}`)
}

const id = (fromId: string, n: number) => `demo-${fromId}-${n}`.replaceAll('.', '_').padEnd(16, '0')

type Incoming = {
  line: Extract<Line, { by: 'contact' }>
  sid: string
  person: { fromId: string }
  channel: string
  wheel: string
}

async function receive(client: Client, { line, sid, person, channel, wheel }: Incoming): Promise<void> {
  const file = line.file ? { mediaUrl: wheel, mediaContentType: 'image/png' } : {}
  await client.v1('/incoming_custom_channel_message', {
    customData: { messageSid: sid, toId: 'kettle-lane', body: line.text, channel, ...person, ...file },
    ...(line.reaction && { messageType: 'reaction' }),
  })
}

/** The bot has nothing left to answer: what it wrote later would be newer than everything else. */
async function untilQuiet(client: Client): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    await sleep(1_000)
    const { conversations } = await client.app('GET', '/api/conversations?limit=50')
    const isBusy = (row: { botIsWriting: boolean; lastAt: string }) =>
      row.botIsWriting || Date.now() - Date.parse(row.lastAt) < 4_000
    if (!conversations.some(isBusy)) return
  }
  throw new Error('the bot is still answering')
}

async function markRead(client: Client, fromId: string): Promise<void> {
  const contactId = await findContact(client, fromId)
  const { messages } = await client.app('GET', `/api/conversations/${contactId}/messages`)
  await client.app('PUT', `/api/conversations/${contactId}/read`, { seq: messages.at(-1).seq })
}

async function findContact(client: Client, fromId: string): Promise<string> {
  const { contacts } = await client.app('GET', `/api/contacts?q=${encodeURIComponent(fromId)}`)
  const found = contacts.find(({ externalId }: { externalId: string }) => externalId === fromId)
  if (!found) throw new Error(`${fromId} was not found`)
  return found.id
}

async function untilAnswered(client: Client, contactId: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const { messages } = await client.app('GET', `/api/conversations/${contactId}/messages`)
    if (messages.at(-1)?.author === 'bot') return
    await sleep(200)
  }
  throw new Error(`${contactId} was not answered`)
}
