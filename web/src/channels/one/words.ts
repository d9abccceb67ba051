const many = (count: number, one: string, more: string) =>
  count === 1 ? `1 ${one}` : `${count >= 10_000 ? '10,000+' : count.toLocaleString()} ${more}`

/** The page of one channel. `kind` is what people call the provider. */
export const oneWords = {
  connection: 'Connection',
  people: 'Contacts',
  us: 'Patchbay',
  provider: (kind: string, address: string) => `${kind}, ${address}`,
  lastCame: 'last wrote',
  nothingCame: 'nobody has written yet',
  lastTook: 'last took a reply',
  neverTook: 'has not taken a reply yet',
  nothingWaits: 'nothing waits',
  waits: (count: number) => many(count, 'reply waits', 'replies wait'),
  keepOrder: (count: number) => {
    if (count === 0) return 'Replies will wait, use up no tries and leave in order.'
    if (count === 1) return '1 reply waits, uses up no tries and leaves in order.'
    return `${many(count, '', 'replies')} wait, use up no tries and leave in order.`
  },

  cut: {
    credentials: 'Token refused',
    'other reader': 'Read by others',
    'no address': 'No address',
    'cannot be reached': 'Not reached',
  },
  cutFor: (cause: string, time: string) => `${cause}, ${time}`,
  onHold: { paused: 'paused', held: 'held', slowed: 'slowed', silent: 'no answer', connecting: 'connecting' },

  story: {
    working: 'It takes and gives.',
    workingSays: (kind: string) => `Each reply leaves once, in order, and waits by itself while ${kind} is away.`,
    since: (what: string, since: string) => `${what.replace(/\.$/, '')}, since ${since}.`,
    connecting: 'It is not connected yet.',
    connectingSays: 'The checks below say what is missing.',
    held: 'This is a restored copy, so the channel stands still.',
    heldSays:
      'It keeps what it is called with, and neither sends nor fetches until an owner says that this copy goes on. While the original still runs, two would write to everybody. What waited when the backup was taken is left to people.',
    pausedBy: (who: string, at: string) => `Paused by ${who} at ${at}.`,
    pausedAt: (at: string) => `Paused since ${at}.`,
    alsoPaused: (who: string | null, at: string) =>
      who === null ? `It is paused too, since ${at}.` : `It is paused too, by ${who} at ${at}.`,
    slowed: (kind: string, until: string) => `${kind} has asked us to wait until ${until}.`,
    slowedSays: 'There is nothing to do. Then all of it leaves in order.',
    silent: (kind: string, since: string) => `${kind} has not answered since ${since}.`,
    silentSays: 'A message is tried now and then by itself; nothing overtakes it. When it answers, all leave in order.',
  },
  enterToken: 'Enter a new token',
  tryOld: 'Try the old one now',
  goOn: 'This copy goes on',
  goingOn: 'Going on…',
  wentOn: 'It goes on here.',

  every: (often: string) => `${often} Last:`,
  notYet: 'not yet',
  notLooked: 'Not looked at while it is held. Last:',

  credentials: 'Credentials',
  tokenHint: 'It is tried before it is kept; the old one stays until the new one works.',
  tokenSaved: 'Saved. The new token works.',
  savedOnly: 'The new token is saved. The checks say what is still missing.',
  sender: 'Sender',
  address: 'Address',
  since: 'Connected',
  channelId: 'Channel ID',
  channelIdCopy: 'channel ID',
  receiving: 'Receives',
  receivingBy: {
    poll: 'We fetch what comes',
    hook: (kind: string) => `${kind} calls us`,
  },
  receivingNow: { poll: 'we fetch', hook: 'it calls us' },

  limits: 'Limits, and where it is now',
  limit: 'What',
  value: 'Now',
  about: 'About it',
  perSecond: 'Messages a second',
  usual: (kind: string) => `As usual for ${kind}; it publishes no exact limits, and what it says is always believed.`,
  own: (usual: string) => `Set here. As usual it would be ${usual}.`,
  waiting: 'Waiting',
  waitingSays: 'Replies that are to be sent, or are held back.',
  slow: 'Slowed',
  notSlowed: 'no',
  slowedUntil: (time: string) => `until ${time}`,
  slowSays: 'When a provider says that there are too many, nothing is sent for as long as it asks.',
  today: 'Today',
  todayIn: (count: number) => `${count.toLocaleString()} in`,
  todayOut: (count: number) => `${count.toLocaleString()} out`,
  todaySays: 'Messages, as the reports count them.',

  settings: 'How it works here',
  name: 'Name in Patchbay',
  nameMissing: 'Give it a name.',
  receives: (kind: string) => `How ${kind} reaches us`,
  receivesShort: 'How messages come',
  receivesBy: {
    auto: 'Automatic',
    poll: 'We fetch',
    hook: 'It calls us',
  },
  receivesSays: {
    auto: (now: string) => `It calls us where our address is public, else we fetch. Now: ${now}.`,
    poll: 'No public address is needed.',
    hook: 'At once, at our public address. Without one it stops receiving.',
  },
  doubt: 'When it is not known whether a reply arrived',
  whenInDoubt: { resend: 'Send it once more', person: 'Leave it to a person' },
  inDoubtSays: {
    resend: (kind: string) => `After five seconds without a word from ${kind}. It is marked “may have arrived twice”.`,
    person: 'The conversation waits for one, who says “It arrived” or “Send again”.',
  },
  rate: 'Messages a second',
  rateHint: (usual: string) => `Empty: as usual, which is ${usual}.`,
  rateWrong: 'A number from 0.1 to 1000, or nothing.',
  asUsual: 'as usual',
  save: 'Save',
  saving: 'Saving…',
  savedAll: 'Saved.',
  cancel: 'Cancel',

  end: 'Pause or disconnect',
  endSays: 'Paused: messages come in, replies wait. Disconnected: it ends, and what was said stays.',
  pause: 'Pause',
  pausing: 'Pausing…',
  resume: 'Resume',
  resuming: 'Resuming…',
  disconnect: 'Disconnect…',
  disconnectAsk: (name: string) => `Disconnect ${name}?`,
  ends: 'What ends',
  endsSays: (kind: string, isCalled: boolean, waiting: number) => [
    'Nothing comes in and nothing leaves any more.',
    isCalled ? `${kind} is told to stop calling us, and the token is erased.` : 'The token is erased.',
    ...(waiting === 0
      ? []
      : [
          waiting === 1
            ? '1 reply that waits ends as not sent.'
            : `${many(waiting, '', 'replies')} that wait end as not sent.`,
        ]),
  ],
  stays: 'What stays',
  staysSays: (address: string) => [
    'Conversations, contacts and their history.',
    `Connect ${address} again, with its token, and it is this channel again: its people are known.`,
  ],
  disconnectIt: 'Disconnect',
  disconnecting: 'Disconnecting…',
  keepIt: 'Keep it',
  isDisconnected: (name: string) => `${name} is disconnected.`,
  isDisconnectedSays: 'Its conversations and contacts stay.',
  left: (kind: string) => `${kind} did not hear of it, and goes on calling this address, which answers nobody:`,
  leftSays: 'Nothing is lost by that. Another tool that takes the bot over replaces it.',
  leftWhat: 'address',
  toChannels: 'To the channels',
  gone: 'There is no such channel',
  goneSays: 'It was disconnected, or never was. Its conversations are in the inbox.',
} as const
