/** Every kind of built-in channel. */
export const channelKinds = ['telegram'] as const

export type ChannelKind = (typeof channelKinds)[number]

/** `attention`: somebody has to do something; it still receives, and what is to be sent waits. */
export const channelStates = ['connecting', 'working', 'attention', 'removed'] as const

export type ChannelState = (typeof channelStates)[number]
