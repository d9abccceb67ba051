import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client as Database } from 'pg'
import { ageConversation } from './age.ts'
import type { Client } from './client.ts'
import type { Shop } from './shop.ts'

type Ctx = { client: Pick<Client, 'app' | 'visitor'>; database: Database; shop: Pick<Shop, 'page'> }

const everyDay = (from: string, to: string, days: number[]) => days.map((day) => ({ day, from, to }))

const settings = {
  languages: ['en', 'de', 'ar'],
  words: {
    en: {
      greeting: 'Hello. Ask about a repair, a bike or your order.',
      button: 'Chat with us',
      privacy: 'Kept by Kettle Lane Cycles.',
      privacyUrl: 'https://kettlelane.example/privacy',
    },
    ar: {
      greeting: 'مرحبًا. اسألونا عن إصلاح أو دراجة أو طلب.',
      button: 'تحدثوا إلينا',
      privacy: '',
      privacyUrl: 'https://kettlelane.example/privacy',
    },
  },
  hours: {
    zone: 'Europe/London',
    windows: [...everyDay('08:30', '18:00', [1, 2, 3, 4, 5]), ...everyDay('08:30', '16:00', [6])],
    closed: ['2026-12-25', '2026-12-26'],
  },
  members: 'may',
}

/** A website chat with conversations of three people, all by the protocol that browsers speak. */
export async function fillWebsiteChat({ client, database, shop }: Ctx): Promise<void> {
  const given = { kind: 'webchat', name: 'Kettle Lane', settings: { ...settings, pages: [shop.page] } }
  const { id } = await client.app('POST', '/api/channels', given)
  const { secret } = await client.app('POST', `/api/channels/${id}/secret`)
  const open = (bearer: string, path: string) => openVisitor({ client, database, channelId: id, shop, bearer, path })
  await playPasserBy(open(newKey(), 'bikes'))
  await playCustomer(open(tokenOf(secret, id), 'orders'))
  await playLate(open(newKey(), 'workshop'))
  for (const statement of aged) await database.query(statement)
}

const newKey = () => `b.${randomBytes(32).toString('base64url')}`

/** A customer who is signed in at the shop. */
function tokenOf(secret: string, channelId: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const exp = Math.floor(Date.now() / 1_000) + 3_600
  const claims = { sub: 'customer-2207', name: 'Elif Kaya', email: 'elif.kaya@example.com', aud: channelId, exp }
  const signed = `${encode({ alg: 'HS256' })}.${encode(claims)}`
  return `j.${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

type Visitor = ReturnType<typeof openVisitor>

/** Does not know what they want, and taps what is offered. */
async function playPasserBy({ says, isAnswered, taps, ages }: Visitor): Promise<void> {
  await says('Something for my bike')
  await isAnswered(1)
  await taps()
  await isAnswered(2)
  await ages(14)
}

async function playCustomer({ says, isAnswered, isWrittenTo, reads, ages }: Visitor): Promise<void> {
  await says('Do you service e-bikes?')
  await isAnswered(1)
  await says('Can I talk to a person please?')
  await isAnswered(2)
  await isWrittenTo('Hi Elif, Ines here. Yours is the blue one from March, is it?')
  await says('Yes! It grinds when I coast.')
  await isWrittenTo('Bring it in tomorrow, we look at it while you wait.')
  await reads()
  await ages(5)
}

/** Nobody is there, so they leave an address. */
async function playLate({ says, isAnswered, leaves, ages }: Visitor): Promise<void> {
  await says('Can I talk to a person please? My wheel is stuck.')
  await isAnswered(1)
  await leaves('jo.marsh@example.com')
  await ages(47)
}

type Asked = Ctx & { channelId: string; bearer: string; path: string }

function openVisitor({ client, database, channelId, shop, bearer, path }: Asked) {
  const origin = `http://${shop.page}`
  const headers = { origin, authorization: `Bearer ${bearer}` }
  const post = (to: string, body: object) => client.visitor('POST', `/chat/${channelId}/${to}`, body, headers)
  const read = () => client.visitor('GET', `/chat/${channelId}/messages?after=0`, undefined, headers)
  const say = (text: string, more = {}) =>
    post('messages', { id: randomUUID(), text, language: 'en', page: `${origin}/${path}`, ...more })
  let firstId = ''

  const contactId = async (): Promise<string> =>
    (await database.query(contactOf, [channelId, firstId])).rows[0]?.contact_id

  return {
    says: async (text: string) => {
      const id = randomUUID()
      firstId ||= id
      await say(text, { id })
    },
    /** So often by the bot, so far. */
    isAnswered: async (times: number) => {
      for (let tries = 0; tries < 100; tries += 1) {
        const { rows } = await database.query(answersOf, [await contactId()])
        if (rows[0].n >= times) return
        await sleep(200)
      }
      throw new Error('a visitor was not answered')
    },
    /** The first of what was offered last. */
    taps: async () => {
      const { messages } = await read()
      // biome-ignore lint/suspicious/noExplicitAny: as in client.ts
      const choice = messages.flatMap((message: any) => message.choices)[0]
      if (!choice) throw new Error('a visitor was offered nothing')
      await say(choice.title, { choice: choice.id })
    },
    isWrittenTo: async (body: string) => {
      const clientId = `demo-chat-${randomUUID()}`
      await client.app('POST', `/api/conversations/${await contactId()}/replies`, { body, clientId })
    },
    reads: async () => {
      const { last } = await read()
      await post('marks', { delivered: last, read: last })
    },
    leaves: (email: string) => post('email', { email }),
    ages: async (minutesAgo: number) => ageConversation(database, await contactId(), minutesAgo),
  }
}

const aged = ['deliveries d', 'delivery_parts d'].map(
  (table) => `
  update ${table} set delivered_at = m.created_at + interval '5 seconds', read_at = m.created_at + interval '20 seconds'
  from messages m
  where m.account_id = d.account_id and m.id = ${table.startsWith('delivery_parts') ? 'd.delivery_id' : 'd.id'} and d.read_at is not null`,
)

/** By the id of their first message, which is the end of what it is known by. */
const contactOf = `select contact_id from messages where channel = $1 and message_sid like '%/' || $2`
const answersOf = `select count(*)::int as n from messages where contact_id = $1 and author = 'bot'`
