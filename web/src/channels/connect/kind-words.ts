import type { ChannelKind, ProviderKindName } from '@patchbay/contract/channels.ts'

/** What owners are told of a kind before they choose it. */
export const kindWords: Record<ChannelKind, { needs: string; takes: string; says: string }> = {
  telegram: {
    needs: 'A bot token. No approval, no public address.',
    takes: '2 minutes, free',
    says: 'A bot token is all it needs. No public address, no approval, no cost.',
  },
  webchat: {
    needs: 'One line in your page. Visitors write without an account.',
    takes: '2 minutes, free',
    says: 'One line in your page. It talks to this server and to nobody else.',
  },
}

/** What they are told while they connect a sender. */
export const senderWords: Record<
  ProviderKindName,
  {
    make: string
    /** What to write to whom, word by word. */
    makeSteps: readonly (string | { mono: string })[]
    secret: string
    /** Both steps in one. */
    makeAndSecret: string
    secretDone: string
    secretLabel: string
    placeholder: string
    missing: string
    /** Where people write to it, by its address. */
    link: (address: string) => string
    write: string
  }
> = {
  telegram: {
    make: 'Make a bot',
    makeSteps: [
      'In Telegram, write ',
      { mono: '/newbot' },
      ' to ',
      { mono: '@BotFather' },
      '. It asks for a name and gives you a token.',
    ],
    secret: 'Paste its token',
    makeAndSecret: 'Make a bot and paste its token',
    secretDone: 'Token saved: Telegram knows the bot',
    secretLabel: 'Bot token',
    placeholder: '123456789:AAE…',
    missing: 'Paste the token that @BotFather gave you.',
    link: (address) => `https://t.me/${address.replace(/^@/, '')}`,
    write: 'Search for its name or open the link, press Start, write anything.',
  },
}
