import { setTimeout as sleep } from 'node:timers/promises'
import type { Client as Database } from 'pg'
import { readUpdate } from '../server/src/journey/channels/kinds/telegram/read.ts'
import { hasProvider, openChannels } from '../server/src/journey/channels/open-channels.ts'
import { openReceiveFromChannel } from '../server/src/journey/intake/channel-messages/receive-from-channel.ts'
import { openTakeIn } from '../server/src/journey/provider-events/take-in.ts'
import { type DatabaseAddress, openDb } from '../server/src/platform/database/db.ts'
import { openFairShare } from '../server/src/platform/database/fair-share.ts'
import { type AccountId, type ChannelId, newId } from '../server/src/platform/ids.ts'
import { openLog } from '../server/src/platform/log.ts'
import { openInstruments } from '../server/src/platform/metrics/instruments.ts'
import { ageConversation } from './age.ts'
import { business } from './business.ts'
import type { Client } from './client.ts'

/** When somebody of each conversation wrote last. */
const [lenaMinutesAgo, omarMinutesAgo] = [8, 26]

type Ctx = { client: Pick<Client, 'app'>; database: Database; address: DatabaseAddress }

/**
 * A channel with conversations of two people. It is paused and has no credentials, so nobody is ever called for it. What its people
 * did is read and kept as what Telegram says is; only that replies arrived is written by hand.
 */
export async function fillTelegram({ client, database, address }: Ctx): Promise<void> {
  const accountId = await findAccount(database)
  const channelId = newId('chn')
  for (const statement of connected) await database.query(statement, [accountId, channelId, Date.now() / 1_000])
  const tell = await openTell(address, { accountId, channelId })
  const play = { client, database, channelId, tell }
  await playLena(play)
  await playOmar(play)
  await tell.end()
  for (const statement of aged) await database.query(statement, [accountId, channelId])
}

async function findAccount(database: Database): Promise<AccountId> {
  const { rows } = await database.query('select account_id from users where email = $1', [business.owner.email])
  return rows[0]?.account_id
}

const checks = JSON.stringify([
  {
    name: 'credentials',
    state: 'waits',
    sentence: 'This channel is part of the demonstration: it has no token, and calls nobody.',
    quote: null,
  },
  { name: 'receiving', state: 'waits', sentence: 'Nothing is fetched without a token.', quote: null },
  { name: 'first message', state: 'done', sentence: 'People have written.', quote: null },
])

const connected = [
  `insert into channels (account_id, id, kind, provider_key, name, address, state, paused_at, paused_by, settings, checks,
    checked_at, last_event_at, created_at)
  select $1, $2, 'telegram', 'demo', 'Kettle Lane', '@kettle_lane_bot', 'working', now(), u.id, '{}', '${checks}', now(), now(),
    to_timestamp($3) - interval '40 days'
  from users u where u.email = '${business.owner.email}'`,
  `insert into receivers (account_id, id, url, paused_at)
  select $1, $2, 'https://api.telegram.org', to_timestamp($3)`,
  `insert into channel_rates (account_id, channel_id) select $1, $2 where $3::float8 > 0`,
]

/** What is told by a channel: the content of one update of Telegram. */
type Tell = ((update: object) => Promise<unknown>) & { end: () => Promise<void> }

async function openTell(address: DatabaseAddress, ref: { accountId: AccountId; channelId: ChannelId }): Promise<Tell> {
  const { log } = openLog('error')
  const db = openDb(address, log, 1)
  const hint = () => {}
  const secretKey = Buffer.alloc(32) // nobody has opted out, so nobody is recognized by it
  const share = openFairShare({ slots: 1, mostWaiting: 1, longestWaitMs: 20_000 })
  const receive = openReceiveFromChannel({ db, share, secretKey, hint, instruments: openInstruments() })
  const call = () => Promise.reject(new Error('nobody is called'))
  const takeIn = openTakeIn({ db, receive, call, hint, log })
  const channel = await openChannels({ db, secretKey, log }).find({ accountId: ref.accountId, id: ref.channelId })
  if (!hasProvider(channel)) throw new Error('the channel is not there')
  const tell = (update: object) => takeIn(channel, [readUpdate(update, Date.now())])
  return Object.assign(tell, { end: () => db.destroy() })
}

type Play = { client: Pick<Client, 'app'>; database: Database; channelId: string; tell: Tell }

/** Everything that a thread over a channel can show. */
async function playLena(play: Play): Promise<void> {
  const lena = openPerson(play, { id: 55_120_417, first_name: 'Lena', last_name: 'Hoffmann', username: 'lena_rides' })
  await lena.says({ text: 'Hi! When do you open on Saturday?' })
  const hours = await lena.isAnsweredBy('bot')
  await lena.reactsTo(hours, '👍')
  await lena.says({ text: 'Something for my bike' })
  await lena.tapsFirst(await lena.isAnsweredBy('bot'))
  await lena.isAnsweredBy('bot')
  await lena.isWrittenTo('Hi Lena, Tom here. Bring it in on Thursday, then it is ready on Saturday.')
  const when = await lena.says({ text: 'I need it on Friday, is that possible?' })
  await lena.edits(when, 'I need it on Friday at noon, is that possible?')
  await lena.says({ photo: [{ file_id: 'demo' }], caption: 'It is this wheel' })
  await lena.showsWheel()
  await lena.isWrittenTo('That works. We true it while we are at it.', { mayBeTwice: true })
  await lena.says({ location: { latitude: 51.5136, longitude: -0.1365 } })
  await lena.says({ text: 'I am at this corner, which way is the shop?' })
  await lena.isWrittenTo('Two streets up, behind the old market. I put a sign out for you.', { waits: true })
  await lena.ages(lenaMinutesAgo)
}

async function playOmar(play: Play): Promise<void> {
  const omar = openPerson(play, { id: 55_120_733, first_name: 'Omar', username: 'omar_said' })
  await omar.says({ text: 'Where are you?' })
  await omar.isAnsweredBy('bot')
  await omar.says({ text: 'Can I talk to a person please?' })
  await omar.isAnsweredBy('bot')
  await omar.ages(omarMinutesAgo)
}

type From = { id: number; first_name: string; last_name?: string; username: string }

/** Numbers of messages and updates at Telegram. */
let made = 0

function openPerson({ client, database, channelId, tell }: Play, from: From) {
  const chat = { id: from.id, type: 'private' }
  const now = () => Math.floor(Date.now() / 1_000)
  const next = () => {
    made += 1
    return made
  }
  const message = (id: number, content: object) => ({ message_id: id, date: now(), chat, from, ...content })
  const find = async (query: string, given: unknown[] = []) =>
    (await database.query(query, [channelId, String(from.id), ...given])).rows[0]
  const contactId = async () => (await find(contactOf))?.contact_id

  async function says(content: object): Promise<number> {
    const id = next()
    await tell({ update_id: next(), message: message(id, content) })
    return id
  }

  /** Waits until the reply is there and held back by the pause, and writes that it arrived. Returns its number at Telegram. */
  async function arrives({ author, mayBeTwice = false }: { author: 'bot' | 'person'; mayBeTwice?: boolean }) {
    for (let tries = 0; tries < 300; tries += 1) {
      const held = await find(heldReply, [author])
      if (held) {
        const id = next()
        const given = [held.account_id, held.id, `${from.id}/${id}`, mayBeTwice]
        for (const statement of sent) await database.query(statement, given)
        return id
      }
      await sleep(200)
    }
    throw new Error(`${from.first_name} was not answered`)
  }

  return {
    says,
    edits: (id: number, text: string) =>
      tell({ update_id: next(), edited_message: { ...message(id, { text }), edit_date: now() } }),
    reactsTo: (id: number, emoji: string) =>
      tell({
        update_id: next(),
        message_reaction: { chat, user: from, message_id: id, date: now(), new_reaction: [{ type: 'emoji', emoji }] },
      }),
    /** The first of the buttons that were sent with a message. */
    tapsFirst: async (id: number) => {
      const choice = await find(firstChoice, [`${from.id}/${id}`])
      if (!choice) throw new Error(`${from.first_name} was offered nothing`)
      const reply_markup = { inline_keyboard: [[{ text: choice.title, callback_data: choice.id }]] }
      const callback_query = { id: String(next()), from, data: choice.id, message: message(id, { reply_markup }) }
      return tell({ update_id: next(), callback_query })
    },
    isAnsweredBy: (author: 'bot') => arrives({ author }),
    isWrittenTo: async (body: string, { mayBeTwice = false, waits = false } = {}) => {
      const clientId = `demo-telegram-${next()}`.padEnd(16, '0')
      await client.app('POST', `/api/conversations/${await contactId()}/replies`, { body, clientId })
      if (!waits) await arrives({ author: 'person', mayBeTwice })
    },
    /** The last photo is the wheel of another conversation. */
    showsWheel: async () => void (await database.query(wheel, [await contactId()])),
    ages: async (minutesAgo: number) => ageConversation(database, await contactId(), minutesAgo),
  }
}

const contactOf = `select contact_id from contact_addresses where channel_id = $1 and address = $2`

const firstChoice = `
  select p.content -> 'choices' -> 0 ->> 'id' as id, p.content -> 'choices' -> 0 ->> 'title' as title from delivery_parts p
  where p.channel_id = $1 and $2::text is not null and p.provider_id = $3 and p.content -> 'choices' -> 0 is not null`

const heldReply = `
  select d.account_id, d.id from deliveries d join contact_addresses a on a.account_id = d.account_id and a.contact_id = d.contact_id
  where a.channel_id = $1 and a.address = $2 and d.author = $3 and d.error_category = 'endpoint_paused'`

/** As the channel's transport writes them. */
const sent = [
  `update delivery_parts
  set begun_at = now(), accepted_at = now(), provider_id = $3, attempts = 1, resent_at = case when $4 then now() end
  where account_id = $1 and delivery_id = $2`,
  `update deliveries
  set due_at = null, attempts = case when $4 then 2 else 1 end, error_category = null, error_detail = null, first_attempt_at = now(),
    last_attempt_at = now(), last_url = 'api.telegram.org sendMessage', last_duration_ms = 184, sent_at = now()
  where account_id = $1 and id = $2 and $3::text is not null`,
]

const wheel = `
  update attachments a set state = 'stored', media_id = w.id, content_type = w.content_type, due_at = null, lease_token = null,
    leased_until = null
  from media w, messages m
  where m.account_id = a.account_id and m.id = a.message_id and m.contact_id = $1 and w.account_id = a.account_id
    and w.content_type = 'image/png'`

const aged = [
  `update message_details d set edited_at = m.created_at + interval '1 minute' from messages m
  where m.account_id = d.account_id and m.id = d.message_id and d.edited_at is not null and d.account_id = $1 and m.channel = $2`,
  `update delivery_parts p set begun_at = m.created_at, accepted_at = m.created_at + interval '1 second',
    resent_at = case when p.resent_at is not null then m.created_at + interval '6 seconds' end
  from messages m
  where m.account_id = p.account_id and m.id = p.delivery_id and p.accepted_at is not null and p.account_id = $1 and p.channel_id = $2`,
]
