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

/** What an owner gives of a sender, by the names of our API. */
export type CredentialField = {
  name: string
  label: string
  placeholder?: string
  /** What is said where it is left out; it may be, if there is nothing to say. */
  missing?: string
  /** It goes in and never comes out. */
  isSecret: boolean
  /** It says which account it is, and stays when a secret is replaced. */
  isFixed?: boolean
}

type SenderWords = {
  make: string
  /** What to write to whom, word by word. */
  makeSteps: readonly (string | { mono: string })[]
  secret: string
  /** Both steps in one. */
  makeAndSecret: string
  secretDone: string
  /** What Patchbay waits for until it is given. */
  awaited: string
  fields: readonly CredentialField[]
  /** Those that not everybody gives: what they are for. */
  optional?: { title: string; says: string }
  /** Of an account with several senders: one is chosen. */
  choice?: ChoiceWords
  /** How fast it may send. */
  rate: string
  usual: string
  /** What happens to a message in doubt that is not left to a person. */
  resend: string
  /** Where people write to it, by its address. */
  link: (address: string) => string
  linkWhat: string
  write: string
}

type ChoiceWords = {
  ask: string
  asking: string
  /** It was taken, and is not saved yet. */
  held: string
  change: string
  sender: string
  full: string
  use: Record<'number' | 'short code' | 'messaging service', string>
  goesTo: (where: string) => string
  takesOver: string
  none: string
  write: string
  noAddress: string
  calls: { account: string; senders: string }
}

/** What they are told while they connect a sender. */
export const senderWords: Record<ProviderKindName, SenderWords> = {
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
    awaited: 'waits for the token',
    fields: [
      {
        ...{ name: 'token', label: 'Bot token', placeholder: '123456789:AAE…', isSecret: true },
        missing: 'Paste the token that @BotFather gave you.',
      },
    ],
    rate: 'Messages a second',
    usual: 'As usual for Telegram; it publishes no exact limits, and what it says is always believed.',
    resend: 'After five seconds without a word from Telegram. It is marked “may have arrived twice”.',
    link: (address) => `https://t.me/${address.replace(/^@/, '')}`,
    linkWhat: 'link',
    write: 'Search for its name or open the link, press Start, write anything.',
  },
  sms: {
    make: 'Get a number',
    makeSteps: ['In the console of Twilio, buy a number that can do SMS.'],
    secret: 'Account',
    makeAndSecret: 'Account',
    secretDone: 'Account',
    awaited: 'waits for a sender',
    fields: [
      {
        ...{ name: 'accountSid', label: 'Account SID', placeholder: 'AC…', isSecret: false, isFixed: true },
        missing: 'Copy it from the front page of Twilio’s console.',
      },
      {
        ...{ name: 'authToken', label: 'Auth token', isSecret: true },
        missing: 'Copy it from the front page of Twilio’s console.',
      },
      { name: 'keySid', label: 'API key SID', placeholder: 'SK…', isSecret: false },
      { name: 'keySecret', label: 'API key secret', isSecret: true },
    ],
    optional: {
      title: 'Call with an API key',
      says: 'It can be taken back alone. The auth token is needed all the same: it signs what Twilio posts to us.',
    },
    choice: {
      ask: 'Show its senders',
      asking: 'Asking Twilio…',
      held: 'Twilio takes it. It is saved with the sender.',
      change: 'Change',
      sender: 'Sender',
      full: 'full account, active',
      use: {
        number: 'Use this number',
        'short code': 'Use this short code',
        'messaging service': 'Use this service',
      },
      goesTo: (where) => `Its messages now go to ${where}.`,
      takesOver:
        'Patchbay writes its own address there, and the same one as fallback. The old one is noted in the audit, and put back when you disconnect.',
      none: 'This account has no sender. Buy a number that can do SMS in Twilio’s console, then ask again.',
      write: 'Text it from your phone',
      noAddress:
        'This server has no public address, so Twilio cannot call it. The operator sets PUBLIC_URL to an https address of a public name.',
      calls: { account: '→ account', senders: '→ numbers, services' },
    },
    rate: 'Segments a second',
    usual: 'As usual for such a sender. What Twilio says is always believed.',
    resend: 'Twilio is asked for it after 10 and 60 seconds. It is sent once more only if Twilio does not have it.',
    link: (address) => address.split(' ')[0] ?? address,
    linkWhat: 'number',
    write: 'Any text turns this green. A short answer of the bot costs one segment.',
  },
}

/** The secret that signs or speaks for a sender: its name is what a saved one is called. */
export function secretLabelOf(kind: ProviderKindName): string {
  return senderWords[kind].fields.find(({ isSecret }) => isSecret)?.label ?? ''
}
