import { type AccountId, type ChannelId, isId, type ReceiverId } from '../platform/ids.ts'

/** Where events of an account go: an address that its holder configured, the simulated one, or a built-in channel. */
export type Receiver = { accountId: AccountId; receiverId: ReceiverId }

/** The address of an account's replies. */
export const messageWebhook = 'reply' as const satisfies ReceiverId
/** The address of an agency's recharge requests. */
export const rechargeWebhook = 'recharge' as const satisfies ReceiverId
/** The address that an account is told by when something is wrong. */
export const alertWebhook = 'alert' as const satisfies ReceiverId
/** Takes the replies to simulated contacts. */
export const simulator = 'simulator' as const satisfies ReceiverId

/** Whether what goes there are messages to contacts, and not events about the account. */
export function getsMessages(receiverId: ReceiverId): boolean {
  return receiverId !== rechargeWebhook && receiverId !== alertWebhook
}

/** The condition of `getsMessages` in SQL. */
export const isOfMessages = (receiverId: string) => `${receiverId} not in ('${rechargeWebhook}', '${alertWebhook}')`

/** A key for maps. */
export function keyOf({ accountId, receiverId }: Receiver): string {
  return `${receiverId} ${accountId}`
}

/** Whether this names a built-in channel: as a receiver, or as the channel of a message, where others have a label. */
export function isChannelId(text: string): text is ChannelId {
  return isId('chn', text)
}

/** The condition of `isChannelId` in SQL, as far as receivers go. */
const isOfChannel = (receiverId: string) => `${receiverId} like 'chn\\_%'`

/** The condition in SQL that events of the receiver go to an address that somebody saved. */
export const isSaved = (receiverId: string) => `${receiverId} <> '${simulator}' and not ${isOfChannel(receiverId)}`

/** The receiver of replies to a contact of a custom channel, in SQL. */
export const customReceiver = (isSimulated: string) =>
  `case when ${isSimulated} then '${simulator}' else '${messageWebhook}' end`

/** How events reach a receiver. */
export type TransportName = 'webhook' | 'simulator' | 'channel'

const named: Record<Exclude<ReceiverId, ChannelId>, TransportName> = {
  reply: 'webhook',
  recharge: 'webhook',
  alert: 'webhook',
  simulator: 'simulator',
}

export function transportOf(receiverId: ReceiverId): TransportName {
  return isChannelId(receiverId) ? 'channel' : named[receiverId]
}
