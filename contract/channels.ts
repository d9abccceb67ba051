/** Every kind of built-in channel. */
export const channelKinds = ['telegram', 'sms', 'webchat'] as const

export type ChannelKind = (typeof channelKinds)[number]

/** What people call each kind. */
export const kindNames: Record<ChannelKind, string> = { telegram: 'Telegram', sms: 'SMS', webchat: 'Website chat' }

/** Who is behind it, where somebody is. */
export const providerNames: Record<ChannelKind, string> = { ...kindNames, sms: 'Twilio' }

/** A built-in channel in full: its kind, and its name where that says more. */
export function sayBuiltIn({ kind, name }: { kind: ChannelKind; name: string }): string {
  return name === kindNames[kind] ? name : `${kindNames[kind]} · ${name}`
}

/** Those with a provider, at which an owner has a sender. The others are our own: people come here to read what is said to them. */
export const providerKinds = ['telegram', 'sms'] as const

export type ProviderKindName = (typeof providerKinds)[number]

/** Their providers call us and keep nothing to be fetched, so they need a public address. */
export const calledKinds: readonly ProviderKindName[] = ['sms']

export function isCalled(kind: ChannelKind): boolean {
  return calledKinds.some((one) => one === kind)
}

export function hasProvider(kind: ChannelKind): kind is ProviderKindName {
  return providerKinds.some((one) => one === kind)
}

/** `attention`: somebody has to do something; it still receives, and what is to be sent waits. */
export const channelStates = ['connecting', 'working', 'attention', 'removed'] as const

export type ChannelState = (typeof channelStates)[number]

/** What strangers do to a website chat, of which somebody has to know; everything goes on meanwhile. It ends by itself. */
export const strangerReasons = ['day nearly full', 'day full', 'forged identities', 'hidden visitors'] as const

/** Why a channel needs somebody. */
export const attentionReasons = [
  ...(['credentials', 'other reader', 'no address', 'cannot be reached', 'not registered'] as const),
  ...strangerReasons,
] as const
export type AttentionReason = (typeof attentionReasons)[number]
