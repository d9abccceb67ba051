/** Every kind of built-in channel. */
export const channelKinds = ['telegram', 'webchat'] as const

export type ChannelKind = (typeof channelKinds)[number]

/** Those with a provider, at which an owner has a sender. The others are our own: people come here to read what is said to them. */
export const providerKinds = ['telegram'] as const

export type ProviderKindName = (typeof providerKinds)[number]

export function hasProvider(kind: ChannelKind): kind is ProviderKindName {
  return providerKinds.some((one) => one === kind)
}

/** `attention`: somebody has to do something; it still receives, and what is to be sent waits. */
export const channelStates = ['connecting', 'working', 'attention', 'removed'] as const

export type ChannelState = (typeof channelStates)[number]
