import { hash } from 'node:crypto'
import type { ChannelId } from '../../../platform/ids.ts'
import type { VisitorAddress } from '../visitors/visitor-store.ts'

/**
 * Who asks, as they say. `browser`: the key that the browser has made, which is all that is known of it. `member`: a token that the
 * shop has signed; with it the key of the browser, where the chat is asked for that it had before.
 */
export type Bearer = { is: 'browser'; key: string } | { is: 'member'; token: string; key: string | undefined }

const keyForm = '[A-Za-z0-9_-]{43}'
const browser = new RegExp(`^Bearer b\\.(${keyForm})$`, 'i')
const member = new RegExp(`^Bearer j\\.([^\\s]+?)(?: b\\.(${keyForm}))?$`, 'i')

/** From the header alone: what stands in an address is in logs, and told to other sites. */
export function readBearer(header: string | undefined): Bearer | undefined {
  if (header === undefined) return undefined
  const key = browser.exec(header)?.[1]
  if (key !== undefined) return { is: 'browser', key }
  const [, token, with_] = member.exec(header) ?? []
  return token === undefined ? undefined : { is: 'member', token, key: with_ }
}

/** The key that a member's browser had before, as the body has it. */
export function readKey(text: string | undefined): string | undefined {
  return new RegExp(`^(?:b\\.)?(${keyForm})$`).exec(text ?? '')?.[1]
}

/** The key is stored nowhere. It is bound to its channel: the same one is somebody else on another. */
export function browserAddress(channelId: ChannelId, key: string): VisitorAddress {
  return { kind: 'browser', address: hash('sha256', `${channelId} ${key}`) }
}

/** Unique in the account for ever, and nobody can meet the ids of another visitor. */
export function sidOf(channelId: ChannelId, { kind, address }: VisitorAddress, id: string): string {
  return `${channelId}:${hash('sha256', `${kind} ${address}`).slice(0, 24)}/${id.toLowerCase()}`
}

/** The id that the browser gave, out of that. */
export function idOfSid(sid: string): string {
  return sid.slice(sid.indexOf('/') + 1)
}
