import { setTimeout as sleep } from 'node:timers/promises'
import { usualCaps } from '@patchbay/contract/chat/settings.ts'
import { Client } from 'pg'
import { chatHeaders, newGuest, wideCaps } from '../../../common/website-chat.ts'
import { type Browser, openBrowser } from '../../browser.ts'
import { connectChat } from '../../connect-chat.ts'
import { openTenants } from '../../tenants.ts'
import type { Attack, Counts } from '../attack.ts'
import { atRate, openCountingSender } from '../requests.ts'
import { everywhere, type Flood, fewNetworks, flood } from './flood.ts'
import { holdStreams, openDeaf, openTeamsStreams, type Stretch } from './held-streams.ts'
import { goOnWriting, makeGuests, meet, signMembers } from './known.ts'
import { type Limited, readRows } from './rows.ts'

const streams = { sockets: 5_000, guests: 2_000, deaf: 3 }
const known = { browsers: 20, members: 10 }
/** Of the chat whose day is over soon. */
const fullDay = { ...wideCaps, contactsADay: 100 }

type World = { port: number; session: string; browser: Browser; client: Client }
type Part = (world: World) => Promise<Stretch>

/** WC16, WC17 and WC20 in full size: messages of chats whose limits are the usual ones. */
export const strangers = attackWith(floodsOf(usualCaps))
/** Of chats whose owner lets in whoever comes: the limits of addresses and networks are left. */
export const strangersLetIn = attackWith(floodsOf(wideCaps))
/** WC18 in full size. */
export const heldStreams = attackWith(holdAllStreams)
/** Everything that strangers can do to chats. */
export const strangersAtOnce = attackWith(floodsOf(usualCaps), holdAllStreams)

function attackWith(...parts: Part[]): Attack {
  return async (order, started) => {
    const { port, database } = order
    const tenants = started.use(openTenants(order))
    const { session } = await tenants.make()
    const browser = started.use(openBrowser(port, session))
    const client = new Client(database)
    client.on('error', () => {})
    await client.connect()
    started.defer(() => client.end())
    const stretches: Stretch[] = []
    for (const part of parts) stretches.push(await part({ port, session, browser, client }))
    return async (stopping) => {
      const counts = await Promise.all(stretches.map((stretch) => stretch(stopping)))
      return Object.assign({}, ...counts) satisfies Counts
    }
  }
}

function floodsOf(caps: typeof usualCaps): Part {
  return async ({ port, browser, client }) => {
    const floods = await openChats(browser, caps)
    const full = floods.find(({ what }) => what === 'a day that is full')?.channelId ?? ''
    const people = {
      browsers: await meet(port, makeGuests(full, known.browsers)),
      members: await meet(port, await signMembers(browser, full, known.members)),
    }
    return async (stopping) => {
      const startedAt = performance.now()
      const counts = await Promise.all([
        ...floods.map((one) => flood(port, one, stopping)),
        forge(port, floods[0]?.channelId ?? '', stopping),
        goOnWriting(port, people, stopping),
      ])
      const minutes = (performance.now() - startedAt) / 60_000
      await sleep(3_000) // what a day has had is written once a second
      const written: Counts[] = []
      for (const one of floods) written.push(await readRows(client, one, minutes))
      return Object.assign({}, ...counts, ...written) satisfies Counts
    }
  }
}

async function holdAllStreams({ port, session, browser, client }: World): Promise<Stretch> {
  const guests = await meet(port, makeGuests(await connectChat(browser), streams.guests))
  const deafChat = await connectChat(browser)
  const deaf = await meet(port, makeGuests(deafChat, streams.deaf))
  const { rows } = await client.query('select contact_id from contact_addresses where channel_id = $1', [deafChat])
  const contactIds = rows.map((row) => String(row.contact_id))
  const hearNothing = await openDeaf(port, { guests: deaf, contactIds, browser })
  const hearAsTeam = await openTeamsStreams(port, session)
  return async (stopping) => {
    const counts = await Promise.all([
      hearNothing(stopping),
      hearAsTeam(stopping),
      holdStreams(port, { sockets: streams.sockets, guests }, stopping),
    ])
    return Object.assign({}, ...counts) satisfies Counts
  }
}

/** A chat for each sort of flood, so that what it leaves behind is known. */
async function openChats(browser: Browser, caps: typeof usualCaps): Promise<(Flood & Limited)[]> {
  const { contactsAMinute, contactsADay } = caps
  const times = (minutes: number) => Math.floor(minutes / 10) + 1
  const ofChannel = (minutes: number) => Math.min(contactsADay, contactsAMinute * (Math.ceil(minutes) + 1))
  const sorts: (Omit<Flood & Limited, 'channelId'> & { caps: typeof usualCaps })[] = [
    {
      ...{ what: 'one address', perSecond: 300, from: () => '203.0.113.9', caps },
      most: (minutes) => Math.min(100, 20 * times(minutes)),
    },
    {
      ...{ what: 'two networks', perSecond: 300, from: fewNetworks, caps },
      most: (minutes) => Math.min(2 * Math.min(300, 60 * times(minutes)), ofChannel(minutes)),
    },
    { what: '130,000 networks', perSecond: 300, from: everywhere, caps, most: ofChannel },
    {
      ...{ what: 'a day that is full', perSecond: 100, from: everywhere, caps: fullDay },
      ...{ most: () => fullDay.contactsADay, isExact: true },
    },
  ]
  const floods: (Flood & Limited)[] = []
  for (const { caps: own, ...sort } of sorts) {
    floods.push({ ...sort, channelId: await connectChat(browser, { caps: own, members: 'may' }) })
  }
  return floods
}

/** Tokens that no shop has signed. */
async function forge(port: number, channelId: string, stopping: AbortSignal): Promise<Counts> {
  const counts: Counts = {}
  const send = openCountingSender(port, counts)
  await atRate(20, stopping, (n) => {
    const guest = { ...newGuest(channelId, n), bearer: `j.${'e30'.repeat(20)}.${'e30'.repeat(20)}.${'A'.repeat(43)}` }
    return send({ method: 'GET', path: `/chat/${channelId}/messages`, headers: chatHeaders(guest), body: undefined })
  })
  return Object.fromEntries(Object.entries(counts).map(([status, n]) => [`forged tokens: ${status}`, n]))
}
