import { randomUUIDv7 } from 'node:crypto'

export type AccountId = `acc_${string}`
export type UserId = `usr_${string}`
export type ContactId = `con_${string}`
export type ListId = `lst_${string}`
export type MessageId = `msg_${string}`
export type CampaignId = `cmp_${string}`
/** Of an entry in a campaign's knowledge. */
export type EntryId = `ent_${string}`
/** Of a movement of credits. */
export type LedgerId = `led_${string}`
/** Of an event that is no message. */
export type EventId = `evt_${string}`

type IdOf = {
  acc: AccountId
  usr: UserId
  con: ContactId
  lst: ListId
  msg: MessageId
  cmp: CampaignId
  ent: EntryId
  led: LedgerId
  evt: EventId
}

/** A new id: what it names, then a UUIDv7 in hex, so that ids sort by the time they were made. */
export function newId<Prefix extends keyof IdOf>(prefix: Prefix): IdOf[Prefix] {
  return `${prefix}_${randomUUIDv7().replaceAll('-', '')}` as IdOf[Prefix] // the template cannot see that Prefix is one key
}

/** Whether a caller's text can be such an id at all; anything else is unknown without asking the database. */
export function isId<Prefix extends keyof IdOf>(prefix: Prefix, text: string): text is IdOf[Prefix] {
  return text.startsWith(`${prefix}_`) && /^[0-9a-f]{32}$/.test(text.slice(prefix.length + 1))
}
