import type { AlertEventName } from '@patchbay/contract/alert-event.ts'
import { type ChannelKind, hasProvider } from '@patchbay/contract/channels.ts'
import { creditsOf } from '../../business/credits/amount.ts'
import type { Alert } from '../../outbox/alert-body.ts'
import type { AccountId } from '../../platform/ids.ts'
import type { WaitingRow } from './state-store.ts'

/** Something to tell, with the facts that its sentence needs. */
type AlertFact = { accountId: AccountId; subject: string; since: Date; info: Record<string, string | null> }

/** So many are named in one alert. */
const mostNamed = 5

export function sayWaiting(
  accountId: AccountId,
  conversations: WaitingRow[],
  { count, link }: { count: number; link: LinkTo },
): Alert {
  const shown = conversations.slice(0, mostNamed).map(({ name, ...rest }) => ({
    ...rest,
    ...(name !== null && { name: plain(name) }),
  }))
  const [only] = shown
  const names = shown.flatMap(({ name }) => (name ? [name] : []))
  const more = count - names.length
  const who = names.length === 0 ? '' : more > 0 ? `: ${names.join(', ')} and ${more} more` : `: ${names.join(', ')}`
  const text =
    count === 1 ? `${only?.name || 'Somebody'} waits for a person.` : `${count} conversations wait for a person${who}.`
  return {
    event: 'conversation.waiting',
    accountId,
    text,
    link: link(count === 1 && only ? `/inbox/${only.contactId}?filter=waiting` : '/inbox?filter=waiting'),
    details: { count, conversations: shown },
  }
}

/** The address of a page of the app; undefined when the app has no address that others could open. */
export type LinkTo = (path: string) => string | undefined

export type FactEvent = Exclude<AlertEventName, 'conversation.waiting' | 'test'>

export function sayFact(event: FactEvent, fact: AlertFact, link: LinkTo): Alert {
  const { path, ...said } = factTexts[event](fact)
  return { event, accountId: fact.accountId, link: link(path), ...said }
}

const receiverNames: Record<string, string> = {
  reply: 'The server that takes replies',
  recharge: 'The server that takes recharge requests',
}
const receiverPages: Record<string, string> = { reply: '/settings/webhook', recharge: '/agency/recharge' }

/** `path`: the page of the app to look at. */
type FactText = Pick<Alert, 'text' | 'details'> & { path: string }

const factTexts: Record<FactEvent, (fact: AlertFact) => FactText> = {
  'receiver.failing': ({ subject, since, info }) => ({
    path: receiverPages[subject] ?? '',
    text: `${receiverNames[subject]} ${stateOf(info.state)} since ${utc(since)}. Nothing is lost: what waits is kept.`,
    details: { receiver: subject, state: info.state, since, host: hostOf(info.url) },
  }),
  'receiver.recovered': ({ subject, since }) => ({
    path: receiverPages[subject] ?? '',
    text: `${receiverNames[subject]} works again.`,
    details: { receiver: subject, since },
  }),
  'bot.trouble': ({ subject, since, info }) => ({
    path: `/campaigns/${subject}`,
    text: `The bot ${nameOf(info)} cannot answer: ${plain(info.trouble ?? '', 200)}`,
    details: { campaignId: subject, name: nameOf(info), since, trouble: plain(info.trouble ?? '', 200) },
  }),
  'bot.recovered': ({ subject, since, info }) => ({
    path: `/campaigns/${subject}`,
    text: `The bot ${nameOf(info)} answers again.`,
    details: { campaignId: subject, name: nameOf(info), since },
  }),
  'credits.low': ({ since, info }) => {
    const [balance, threshold] = [creditsOf(BigInt(info.balance ?? 0)), creditsOf(BigInt(info.threshold ?? 0))]
    return {
      path: '/settings/credits',
      text: `Credits are running low: ${balance} left, below ${threshold}.`,
      details: { balance, threshold, since },
    }
  },
  'broadcast.halted': ({ subject, since, info }) => ({
    path: `/broadcasts/${subject}`,
    text: `The broadcast ${nameOf(info)} ${info.reason === 'missed_start' ? 'did not start' : 'stopped'}: ${sayHalt(info)}.`,
    details: { broadcastId: subject, name: nameOf(info), reason: info.reason, since },
  }),
  'channel.attention': ({ subject, since, info }) => ({
    path: `/channels/${subject}`,
    text: `The channel ${nameOf(info)} needs somebody since ${utc(since)}: ${sayAttention(info)}`,
    details: { channelId: subject, kind: info.kind, name: nameOf(info), reason: info.reason, since },
  }),
  'channel.recovered': ({ subject, since, info }) => ({
    path: `/channels/${subject}`,
    // One of our own may have worked all the time: then strangers, or a limit of the day, were why.
    text: `The channel ${nameOf(info)} ${isOwn(info) ? 'needs nobody any more' : 'works again'}.`,
    details: { channelId: subject, kind: info.kind, name: nameOf(info), since },
  }),
}

const attentionTexts: Record<string, string> = {
  credentials: 'its provider does not take what it signs in with',
  'other reader': 'another program reads it, or it reports elsewhere',
  'no address': 'its provider has no address to call',
  'cannot be reached': 'its provider cannot reach us',
  'not registered': 'its number is not registered at its provider, which sends nothing',
}

/** A channel goes on while strangers do these. */
const strangerTexts: Record<string, string> = {
  'day nearly full': 'language models have given most of the answers that they may give in it today',
  'day full': 'strangers have used up what it may have in a day',
  'forged identities': 'many say to be customers whom the shop has not signed',
  'hidden visitors': 'a proxy hides its visitors, so that all of them share one limit',
}

const isOwn = ({ kind }: AlertFact['info']) => !hasProvider(kind as ChannelKind) // as `channels` has it

function sayAttention(info: AlertFact['info']): string {
  const reason = info.reason ?? ''
  const strangers = strangerTexts[reason]
  if (strangers !== undefined) return `${strangers}. It goes on.`
  if (isOwn(info)) return 'no page can fetch it. Its checks say why.'
  return `${attentionTexts[reason] ?? 'it does not work'}. What comes is kept, what is to be sent waits.`
}

const haltReasons: Record<string, string> = {
  no_endpoint: 'no address is saved for replies',
  endpoint_paused: 'the receiver of replies is paused',
  endpoint_gone: 'the receiver of replies says that its address is gone',
  endpoint_failing: 'the receiver of replies has been failing for ten minutes',
  channel_attention: 'its channel has needed somebody for ten minutes',
  channel_paused: 'its channel is paused',
  channel_removed: 'its channel was disconnected',
  no_credits: 'there have not been enough credits for ten minutes',
  restored_copy: 'this is a restored copy, and nobody has said that its channel goes on',
  missed_start: 'no server ran when it was to start, and for an hour after',
}

function sayHalt({ reason, channel }: AlertFact['info']): string {
  if (reason === 'endpoint_failing' && channel) return 'the provider of its channel has not answered for ten minutes'
  return haltReasons[reason ?? ''] ?? 'its receiver takes nothing'
}

const stateOf = (state: string | null | undefined) =>
  state === 'paused' ? 'is paused' : state === 'gone' ? 'says that its address is gone,' : 'has been failing'

const nameOf = ({ name }: AlertFact['info']) => plain(name ?? '') || 'without a name'

function hostOf(url: string | null | undefined): string | null {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : null
}

/** Everybody who reads it may be elsewhere. */
const utc = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`

/**
 * What somebody else wrote, such as a contact's name, so that no chat tool makes a mention, a link, a picture or marked text
 * of it: only letters, digits, spaces and a little punctuation are left. A full stop or a colon stays before a space only, or
 * between digits: `evil.example` would become a link.
 */
function plain(text: string, mostCharacters = 60): string {
  const clean = text
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N} '’,.:;!?()%+-]/gu, ' ')
    .replace(/(?<!\d)[.:!?](?=\S)|[.:!?](?=[^\s\d])/gu, ' ')
    .replace(/\p{M}{4,}/gu, '') // marks piled up cover the lines around
    .replace(/ +/g, ' ')
    .trim()
  const characters = [...clean]
  return characters.length > mostCharacters ? `${characters.slice(0, mostCharacters).join('').trim()}…` : clean
}

/** Pages of the app as others can open them. An app that only this machine can reach has none. */
export function linksAt(publicUrl: string): LinkTo {
  const { hostname } = new URL(publicUrl)
  const isHere = hostname === 'localhost' || hostname.startsWith('127.') || hostname === '[::1]'
  return (path) => (isHere ? undefined : `${publicUrl}${path}`)
}
