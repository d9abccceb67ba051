import { after } from 'node:test'
import type { UserId } from '../../../server/src/platform/ids.ts'
import {
  contactOf,
  defaultCampaign,
  editCampaign,
  holdTurnsBack,
  untilAnswered,
} from '../../../server/test/helpers/bots.ts'
import { saveUrl, untilMessages } from '../../../server/test/helpers/deliveries.ts'
import { type Browser, withOk } from '../../../server/test/helpers/inbox.ts'
import { incoming, incomingPath, outgoing, sendPath } from '../../../server/test/helpers/message-requests.ts'
import { startReceiver } from '../../../server/test/helpers/receivers.ts'
import { addMember, signIn } from '../../../server/test/helpers/sessions.ts'
import { type Site, startSite } from '../helpers/site.ts'
import { type HostileChannel, makeHostileChannel } from './hostile-channel.ts'
import { largestBody, type PayloadName, payloadNames, payloads } from './payloads.ts'

/** What was made with one payload in every field that takes it. */
type Made = { contactId: string; listId: string; replyId: string }

export type World = {
  site: Site
  made: Record<PayloadName, Made>
  /** Asked something and was answered by a bot that was taught payloads. */
  answered: string
  /** Wrote a message as large as one may be. */
  longest: string
  simulated: string
  channel: HostileChannel
  /** Another user of the account, who sees the owner's name beside their replies. */
  memberId: UserId
  [Symbol.asyncDispose]: () => Promise<void>
}

let world: Promise<World> | undefined
after(async () => await (await world)?.[Symbol.asyncDispose]())

/** One for all tests of the process: they look, and change nothing. */
export function openWorld(): Promise<World> {
  world ??= startWorld()
  return world
}

/** An account in which strangers, colleagues, the receiver and the bot have written payloads wherever they could. */
async function startWorld(): Promise<World> {
  await using started = new AsyncDisposableStack()
  const site = started.use(await startSite({ DELIVERY_RETRY_SECONDS: '1000,1000' }))
  const receiver = started.use(
    await startReceiver((_request, response) => {
      const { elements, links, frames } = payloads
      const headers = { 'x-note': elements, location: links.replace('\t', ''), 'retry-after': frames, server: elements }
      response.writeHead(503, elements, { ...headers, 'content-type': `text/html; charset=${elements}` }).end(elements)
    }),
  )
  const { app, account } = site
  const owner = withOk(await signIn(app, account))
  await owner.ok('PATCH', '/api/account', { name: payloads.elements, userName: payloads.attributes })
  const answered = await letBotAnswer(site, owner)
  await holdTurnsBack(app)
  await saveUrl(app, account, `${receiver.url}?q=${encodeURIComponent(payloads.elements)}`)
  await owner.call('POST', '/api/webhook/test')
  const made: Partial<Record<PayloadName, Made>> = {}
  for (const name of payloadNames) made[name] = await makeAll(site, owner, payloads[name])
  await account.post(incomingPath, incoming({ messageSid: 'longest', fromId: 'longest', body: largestBody() }))
  const simulated = await simulate(owner)
  await untilMessages(app, account, (all) =>
    all.some(({ body, status }) => body === payloads.elements && status === 'Failed'),
  )
  const channel = await makeHostileChannel(site, made.elements?.contactId ?? '')
  const memberId = await addMember(app, account.accountId, 'mia@example.com')
  const longest = await contactOf(app, 'longest')
  const running = started.move()
  return {
    site,
    made: made as Record<PayloadName, Made>,
    answered,
    longest,
    simulated,
    channel,
    memberId,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** A campaign, a question and an answer that are payloads. */
async function letBotAnswer({ app, account }: Site, owner: Browser): Promise<string> {
  await editCampaign(app, await defaultCampaign(app, account), { name: payloads.frames })
  const question = `When do you open? ${payloads.elements}`
  await owner.ok('POST', '/api/first-run/entry', { question, answer: `${payloads.markdown} ${payloads.links}` })
  await account.post(incomingPath, incoming({ messageSid: 'asked', fromId: 'asks', body: question }))
  await untilAnswered(app)
  return contactOf(app, 'asks')
}

async function makeAll({ app, account }: Site, owner: Browser, payload: string): Promise<Made> {
  const person = { fromId: payload, firstName: payload, lastName: payload, email: `"${payload}"@example.com` }
  const said = incoming({ ...person, messageSid: payload, body: payload, channel: payload })
  await account.post(incomingPath, said)
  const reacted = incoming({ ...person, messageSid: `${payload.slice(0, 200)} again`, body: payload, channel: payload })
  const { body: sent } = await account.post(sendPath, outgoing({ ...person, customChannel: payload, body: payload }))
  await account.post(incomingPath, { ...reacted, messageType: 'reaction' })
  const contactId = await contactOf(app, payload)
  const { id: listId } = await owner.ok('POST', '/api/lists', { name: payload })
  await owner.ok('PUT', `/api/contacts/${contactId}/lists/${listId}`)
  const clientId = Buffer.from(contactId).toString('base64url').slice(0, 40)
  await owner.ok('POST', `/api/conversations/${contactId}/replies`, { body: payload, clientId })
  return { contactId, listId, replyId: sent.messageId }
}

async function simulate(owner: Browser): Promise<string> {
  const person = { firstName: payloads.elements, channel: payloads.frames }
  const { contactId } = await owner.ok('POST', '/api/simulator/contacts', person)
  await owner.ok('POST', `/api/simulator/contacts/${contactId}/messages`, { body: payloads.links })
  return contactId
}
