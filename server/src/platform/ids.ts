import { randomUUIDv7 } from 'node:crypto'

export type AccountId = `acc_${string}`
export type UserId = `usr_${string}`
export type ContactId = `con_${string}`
export type ListId = `lst_${string}`
export type MessageId = `msg_${string}`
export type CampaignId = `cmp_${string}`
/** A connection to a provider of language models. */
export type ConnectionId = `cxn_${string}`
/** An entry in a campaign's knowledge. */
export type EntryId = `ent_${string}`
/** A movement of credits. */
export type LedgerId = `led_${string}`
/** A line of the audit. */
export type AuditId = `aud_${string}`
/** A link that lets somebody in. */
export type LinkId = `lnk_${string}`
export type SavedReplyId = `rep_${string}`
/** A message to everybody on a list. */
export type BroadcastId = `brc_${string}`
/** An import of contacts. */
export type ImportId = `imp_${string}`
/** An event that is not a message. */
export type EventId = `evt_${string}`
/** A built-in channel: one sender at a provider, such as a bot. */
export type ChannelId = `chn_${string}`
/** A file that was attached to a reply and not sent yet. */
export type OutgoingFileId = `fil_${string}`

/** A receiver of an account's events; see `outbox/receivers.ts`. */
export type ReceiverId = 'reply' | 'recharge' | 'alert' | 'simulator' | ChannelId

export type IdOf = {
  acc: AccountId
  usr: UserId
  con: ContactId
  lst: ListId
  msg: MessageId
  cmp: CampaignId
  cxn: ConnectionId
  ent: EntryId
  led: LedgerId
  aud: AuditId
  lnk: LinkId
  rep: SavedReplyId
  brc: BroadcastId
  imp: ImportId
  evt: EventId
  chn: ChannelId
  fil: OutgoingFileId
}

/** A new id: the prefix of its kind, then a UUIDv7 in hex, so that ids sort by creation time. */
export function newId<Prefix extends keyof IdOf>(prefix: Prefix): IdOf[Prefix] {
  return `${prefix}_${randomUUIDv7().replaceAll('-', '')}` as IdOf[Prefix] // the template cannot see that Prefix is one key
}

/** Whether a text has the format of such an id; if not, it is unknown without a query. */
export function isId<Prefix extends keyof IdOf>(prefix: Prefix, text: string): text is IdOf[Prefix] {
  return text.startsWith(`${prefix}_`) && /^[0-9a-f]{32}$/.test(text.slice(prefix.length + 1))
}

/** The sentence for an id that names nothing: with the form that ids have, unless it has it. */
export function sayUnknown(kind: string, prefix: keyof IdOf, id: string): string {
  return `There is no ${kind} ${id}${id.startsWith(`${prefix}_`) ? '' : `; its id would begin with ${prefix}_`}.`
}
