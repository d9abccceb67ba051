import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OpenChannel } from '../../../journey/channels/open-channels.ts'
import type { AddressRanges } from '../../../platform/config/ip-ranges.ts'
import { clientAddress } from '../../../platform/https-server/client-address.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { AddressAction, Layers, Place } from '../limits/layers.ts'
import type { Warnings } from '../limits/warnings.ts'
import type { FindVisitor } from '../visitors/find-visitor.ts'
import { type ChatRef, type KnownVisitor, nameOf, type OnChat, type VisitorAddress } from '../visitors/visitor-store.ts'
import { type Bearer, browserAddress, readBearer } from '../who/bearer.ts'
import { type Member, readMemberToken } from '../who/member-token.ts'
import { isOnPages, pageOf, readOrigin } from '../who/origin.ts'
import { type Chat, chatOf } from './chat.ts'
import { closed, ended, gone, Refused, tooMuch } from './refused.ts'
import type { Sightings } from './sightings.ts'

/** Who asks, of which chat, from where. */
export type Asking = {
  chat: Chat
  on: OnChat
  /** Of whoever asks, as limits and queries name them. */
  name: string
  place: Place
  address: VisitorAddress
  /** Whom the shop has signed: they have limits of their own alone. */
  member: Member | undefined
  /** The key that the member's browser had before. */
  key: string | undefined
  /** Undefined: they have not written yet. */
  known: (KnownVisitor & { ref: ChatRef }) | undefined
}

/** Which chat a request is for, and of which network. */
export type Met = { on: OnChat; network: string }

type Ctx = Readonly<{
  find: (id: string) => Promise<OpenChannel | undefined>
  findVisitor: FindVisitor
  layers: Layers
  sightings: Sightings
  warnings: Warnings
  /** Refuses a message of somebody new where nobody new may come. */
  refuseNew: (asking: Asking) => void
  /** From here on it is known what a refusal counts for. */
  noteMet: (request: FastifyRequest, met: Met) => void
  proxies: AddressRanges
}>

export type Admit = (request: FastifyRequest, reply: FastifyReply, action: AddressAction) => Promise<Asking | undefined>

/**
 * Who may pass, before a byte of the body is read: by the channel, the page, the address, who they are and what they have had, in
 * this order, so that a flood costs no more than the first of these that stops it. Undefined: a browser asks whether it may ask.
 */
export function openAdmit(ctx: Ctx): Admit {
  const { find, findVisitor, layers, sightings, warnings, refuseNew, noteMet, proxies } = ctx

  async function whose({ params }: FastifyRequest): Promise<Chat | undefined> {
    const { channelId } = params as { channelId: string } // as the path says
    const channel = await find(channelId)
    return channel && chatOf(channel, Date.now())
  }

  return async (request, reply, action) => {
    const chat = await whose(request)
    const { origin: header, authorization } = request.headers
    if (!chat) {
      if (readOrigin(header)) allowOrigin(reply, header) // there is nothing here, which every page may know
      throw gone()
    }
    const on = { accountId: chat.row.accountId, channelId: chat.row.id }
    const client = clientAddress(request.raw, proxies)
    warnings.met(on, client)
    const place = layers.placeOf(client)
    noteMet(request, { on, network: place.network.name })
    checkPage(chat, on, { header, sightings })
    allowOrigin(reply, header)
    if (request.method === 'OPTIONS') {
      takePlace(layers, place, 'read')
      return undefined
    }
    const bearer = readBearer(authorization)
    const who = bearer && identify(chat, bearer)
    if (who?.is !== 'member') takePlace(layers, place, action)
    if (!who) throw ended()
    if (who.is === 'refused') {
      if (who.refusal.reason === 'identity_refused' && chat.settings.members !== 'off') warnings.forged(on)
      throw who.refusal
    }
    const name = nameOf(on, who.address)
    const waitMs = Math.max(
      layers.ofVisitor(name, action === 'message' ? 'post' : 'read', { isCounted: true }),
      action === 'message' ? layers.ofVisitor(name, 'message', { isCounted: false }) : 0,
    )
    if (waitMs > 0) throw tooMuch(waitMs)
    const known = await findVisitor(on, who.address)
    if (known?.isClosed) throw closed()
    if (known?.isOld || (who.is === 'browser' && isMembers(known))) throw ended()
    const member = who.is === 'member' ? who.member : undefined
    const key = bearer?.is === 'member' ? bearer.key : undefined
    const ref = known && { ...on, contactId: known.contactId }
    const of = { chat, on, name, place, address: who.address, member, key }
    const asking = { ...of, known: known && ref && { ...known, ref } }
    if (action === 'message') refuseNew(asking)
    return asking
  }
}

/** What was written before a customer signed in is theirs alone since then: whoever has the key of that browser begins anew. */
const isMembers = (known: KnownVisitor | undefined) => known !== undefined && known.signedInAs !== null

/** Without a page that it may be on nothing is answered that a page could read. */
function checkPage(
  { settings }: Chat,
  on: OnChat,
  { header, sightings }: { header: string | undefined; sightings: Sightings },
): void {
  const origin = readOrigin(header)
  if (origin && isOnPages(settings.pages, origin)) {
    sightings.seen(on, pageOf(origin))
    return
  }
  if (origin) sightings.refused(on, `${origin.scheme}://${pageOf(origin)}`)
  throw new Refusal('FORBIDDEN', 'This chat may not be on the page that asks.')
}

function allowOrigin(reply: FastifyReply, origin: string | undefined): void {
  void reply.headers({
    vary: 'Origin',
    ...(origin !== undefined && { 'access-control-allow-origin': origin }),
    'access-control-expose-headers': 'retry-after, x-poll-after',
  })
}

function takePlace(layers: Layers, place: Place, action: AddressAction): void {
  const waitMs = layers.ofPlace(place, action, { isCounted: true })
  if (waitMs > 0) throw tooMuch(waitMs)
}

type Who =
  | { is: 'browser'; address: VisitorAddress }
  | { is: 'member'; address: VisitorAddress; member: Member }
  | { is: 'refused'; refusal: Refused }

function identify({ row, settings, secrets }: Chat, bearer: Bearer): Who {
  if (bearer.is === 'browser') {
    if (settings.members !== 'must') return { is: 'browser', address: browserAddress(row.id, bearer.key) }
    const message = 'This chat is for customers who are signed in.'
    return { is: 'refused', refusal: new Refused('UNAUTHORIZED', 'identity_wanted', message) }
  }
  const asked = { token: bearer.token, secrets, audience: row.id, nowSeconds: Date.now() / 1_000 }
  const reading = settings.members === 'off' ? ({ is: 'refused', check: 'signature' } as const) : readMemberToken(asked)
  if (reading.is === 'member') {
    return { is: 'member', member: reading.member, address: { kind: 'member', address: reading.member.sub } }
  }
  if (reading.is === 'expired') {
    const refusal = new Refused(
      'UNAUTHORIZED',
      'identity_expired',
      'The token has expired; the page has to give a new one.',
    )
    return { is: 'refused', refusal }
  }
  const message = `The token says what is not so: its ${reading.check} is not right.`
  const refusal = new Refused('UNAUTHORIZED', 'identity_refused', message)
  return { is: 'refused', refusal }
}
