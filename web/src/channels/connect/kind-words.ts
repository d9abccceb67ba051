import type { ChannelKind, ProviderKindName } from '@patchbay/contract/channels.ts'

/** What owners are told of a kind before they choose it. */
export const kindWords: Record<ChannelKind, { needs: string; takes: string; says: string }> = {
  telegram: {
    needs: 'A bot token. No approval, no public address.',
    takes: '2 minutes, free',
    says: 'A bot token is all it needs. No public address, no approval, no cost.',
  },
  sms: {
    needs: 'A Twilio account and a number.',
    takes: '5 minutes, paid by segment',
    says: 'Your Twilio account sends and bills. Twilio has to be able to call this server, so it needs a public address.',
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
  sms: {
    make: 'Get a number',
    makeSteps: ['In the console of Twilio, buy a number that can do SMS.'],
    secret: 'Account',
    makeAndSecret: 'Account',
    secretDone: 'Account and sender saved',
    secretLabel: 'Auth token',
    placeholder: '32 characters',
    missing: 'Paste the auth token of the account.',
    link: (address) => `sms:${address.split(' ')[0]}`,
    write: 'Send it a text, any text. Answers are paid by the segment.',
  },
}
