/** Connecting a channel. */
export const connectWords = {
  title: 'Connect a channel',
  custom: 'Custom',
  customNeeds: 'Anything else: your server speaks with our API.',
  customTakes: 'for developers',
} as const
