import type { AttentionReason } from '@patchbay/contract/channels.ts'

const many = (count: number, one: string, more: string) =>
  count === 1 ? `1 ${one}` : `${count >= 10_000 ? '10,000+' : count.toLocaleString()} ${more}`

/** Words of a channel, on every screen of channels. */
export const channelWords = {
  channels: 'Channels',
  states: {
    working: 'Works',
    attention: 'Needs attention',
    held: 'Held',
    paused: 'Paused',
    slowed: 'Slowed',
    silent: 'No answer',
    connecting: 'Connecting',
  },
  /** Why it needs somebody; `kind` is what people call the provider. */
  reasons: {
    credentials: (kind) => `${kind} no longer takes the token`,
    'other reader': () => 'Another program reads this bot',
    'no address': (kind) => `There is no public address that ${kind} could call`,
    'cannot be reached': (kind) => `${kind} cannot reach us`,
    'not registered': (kind) => `Its number is not registered at ${kind}`,
    'day nearly full': () => 'Language models have given most of their answers of today',
    'day full': () => 'A limit of today is reached',
    'forged identities': () => 'Somebody forges who they are',
    'hidden visitors': () => 'Your proxy hides the visitors',
  } satisfies Record<AttentionReason, (kind: string) => string>,
  /** The same of what is called by its provider alone. */
  calledReasons: { 'other reader': 'Its messages go to another tool' } as Partial<Record<AttentionReason, string>>,
  /** The same of a channel of our own. */
  ownReasons: { 'no address': 'No page can fetch it' } as Partial<Record<AttentionReason, string>>,
  /** How soon it is looked at again; the same in docs/channels.md. */
  again: {
    well: 'We look again every hour.',
    otherwise: 'We look again every ten minutes.',
    'other program': 'We try again every minute.',
  },
  waits: (count: number) => `${many(count, 'reply waits', 'replies wait')}; they use up no tries and leave in order.`,
  waitsLonger: (count: number) => `${many(count, 'reply waits', 'replies wait')}, and each is tried again by itself.`,
  reportsTo: (host: string) => `It reports to another tool, at ${host}`,
  stillComes: 'Messages still come in.',
  waitsThere: (kind: string) => `${kind} keeps meanwhile what people write.`,
  otherGets: 'The other one gets what people write.',

  checks: 'Checks',
  checkNow: 'Check now',
  checking: 'Checking…',
  takeOver: 'Take it over',
  takingOver: 'Taking over…',

  check: 'Check and save',
  saved: 'Saved. Never shown again.',
  replace: 'Replace',
  cancel: 'Cancel',
  ownerOnly: 'Only an owner of the account can connect and change channels. You can see how they are.',
} as const
