const many = (count: number, one: string, more: string) =>
  count === 1 ? `1 ${one}` : `${count >= 10_000 ? '10,000+' : count.toLocaleString()} ${more}`
const are = (count: number) => (count === 1 ? 'is' : 'are')

/** The table of channels. */
export const tableWords = {
  says: 'Where messages come from, and replies go.',
  add: 'Connect a channel',
  name: 'Channel',
  state: 'State',
  last: 'Last message',
  today: 'Today in / out',
  todayLabel: 'Today',
  about: 'About it',
  custom: 'Custom',
  customNone: 'Custom channels',
  moreNames: (names: string, more: number) => (more === 0 ? names : `${names} and ${more} more`),
  noHost: 'no webhook yet',
  cameIn: 'in',
  wentOut: 'out',
  never: 'none yet',

  need: (count: number, of: number) =>
    count === 1 && of === 1 ? 'It needs attention' : `${count} of ${of} ${count === 1 ? 'needs' : 'need'} attention`,
  noneNeeds: (of: number) => (of === 1 ? 'It needs nobody' : 'None of them needs anybody'),
  held: (count: number) => `${count} ${are(count)} held`,
  paused: (count: number) => `${count} ${are(count)} paused`,
  connecting: (count: number) => `${count} ${are(count)} not connected yet`,
  summaryToday: (cameIn: number, out: number) =>
    `Today ${many(cameIn, 'message', 'messages')} came in and ${out.toLocaleString()} went out.`,

  green: (done: number, of: number) => `${done} of ${of} checks ${are(done)} green.`,
  goOn: 'Go on',
  fetches: 'We fetch what comes; no public address is needed.',
  calls: (kind: string) => `${kind} calls us.`,
  inLine: (count: number) => `${many(count, 'reply is', 'replies are')} in line.`,
  pausedBy: (name: string | null) => (name === null ? 'Paused since' : `By ${name},`),
  pausedSays: (waiting: number) =>
    waiting === 0 ? 'Messages come in.' : `Messages come in; ${many(waiting, 'reply waits', 'replies wait')}.`,
  chatPausedSays: 'Messages come in; new visitors see no button, and replies are refused.',
  chatSeen: (host: string) => `Seen on ${host},`,
  chatNotSeen: 'No page has asked for its line yet.',
  resume: 'Resume',
  slowed: (kind: string) => `${kind} asked us to slow down; full speed in`,
  silent: (kind: string) => `${kind} has not answered since`,
  silentSays: 'Now and then a reply is tried.',
  heldSays: 'A restored copy: nothing is sent or fetched here yet.',

  since: 'since',
  enterToken: 'Enter a new token',
  open: 'Open it',
  customStates: {
    none: (waiting: number) =>
      waiting === 0
        ? 'Save the address of your server.'
        : `${many(waiting, 'reply waits', 'replies wait')} for an address.`,
    working: () => 'Your server takes replies.',
    failing: () => 'Your server did not take the last reply',
    gone: () => 'Your server says that its address is gone',
    paused: (waiting: number) =>
      waiting === 0
        ? 'Replies are kept.'
        : `${many(waiting, 'reply is', 'replies are')} kept and ${are(waiting) === 'is' ? 'leaves' : 'leave'} when it is resumed.`,
  },
  openWebhook: 'Open the webhook',

  nothingLost: 'What was taken is not lost while a channel waits or is paused.',
  alerts: 'Alerts',
  alertsSay: 'tell you when one has needed somebody for ten minutes.',

  none: 'No channel yet. Which one first?',
  noneSays: 'Every step turns green when the real call arrives, not when you click.',
  noneForMembers: 'No channel is connected yet.',
} as const
