import type { ShownBroadcast } from '@patchbay/contract/app/broadcasts.ts'
import { reachWords } from '../lists/reach-words.ts'

const format = new Intl.NumberFormat()
const number = (n: number) => format.format(n)
const contacts = (n: number) => (n === 1 ? '1 contact' : `${number(n)} contacts`)

type Reason = NonNullable<ShownBroadcast['waiting']>['reason']
type IdFrom = 'phone' | 'email'
type LeftOut = keyof ShownBroadcast['counts']['leftOut']
type Nobody = { contacts: number; optedOut: number; noId: number; idFrom: IdFrom | undefined }

/** What was to become an ID. */
const addressOf = (idFrom: IdFrom | null | undefined) => (idFrom === 'email' ? 'e-mail address' : 'phone number')

const leftOutWhy: Record<Exclude<LeftOut, 'noAddress'>, string> = {
  optedOut: 'Opted out before their turn',
  noId: 'Have no ID: they never wrote, and none was given',
  idTaken: 'Another contact has the ID that they would get',
  erased: 'Erased before they got it',
  stopped: 'Had not got it when it was stopped',
}

const leftOutReasons: Record<string, string | undefined> = {
  opted_out: 'Opted out',
  no_id: 'No ID',
  id_taken: 'ID of another contact',
  erased: 'Erased',
}

export const broadcastWords = {
  title: 'Broadcasts',
  sub: 'One message to everybody on a list.',
  number,
  contacts,
  newBroadcast: 'New broadcast',
  table: 'Broadcasts',
  columns: { name: 'Name', state: 'State', progress: 'Sent', answered: 'Answered', when: 'Started' },
  to: (list: string) => `to ${list}`,
  empty: 'No broadcasts yet.',
  emptySays: 'Write one message and send it to everybody on a list. Who has opted out is left out.',
  noLists: 'No lists yet.',
  noListsSays: 'A broadcast goes to a list. Make one first, and put contacts on it.',
  toLists: 'Go to lists',
  states: {
    preparing: 'Preparing',
    running: 'Running',
    paused: 'Paused',
    stopped: 'Stopped',
    finished: 'Finished',
    waiting: 'Waiting',
    halted: 'Halted',
  },

  form: 'New broadcast',
  list: 'List',
  listOption: (name: string, members: number) => `${name} (${number(members)})`,
  chooseList: 'Choose a list',
  listMissing: 'Choose a list.',
  channel: 'Channel',
  channelHint: 'The name that your receiver gets as channel.',
  channelMissing: 'Name the channel.',
  reach: reachWords.reach,
  idFrom: 'Who has no ID yet',
  idFromHint: 'Your platform must send the same as fromId when they answer. An ID stays for good.',
  idFromNone: (n: number) => `${number(n)} ${n === 1 ? 'gets' : 'get'} no message`,
  idFromPhone: (n: number) => `Their phone number becomes their ID (${number(n)})`,
  idFromEmail: (n: number) => `Their e-mail address becomes their ID (${number(n)})`,
  body: 'Message',
  bodyHint: '{{firstName}} becomes the first name; without one it is left out, with the comma.',
  bodyMissing: 'Write the message.',
  campaign: 'Answers go to',
  anyCampaign: 'The usual campaign',
  name: 'Name',
  nameHint: 'For your team. That of the list if you leave it empty.',
  rate: 'Messages a minute',
  rateWrong: 'A whole number from 1 to 6,000.',
  look: 'Preview',
  looking: 'Counting…',
  change: 'Change',
  cancel: 'Cancel',
  preview: 'Preview',
  previewSays: (list: string) => `The first messages, as contacts on ${list} will read them.`,
  gets: (n: number) => `${contacts(n)} ${n === 1 ? 'gets' : 'get'} it`,
  leftOutOf: {
    optedOut: (n: number) => `${number(n)} opted out`,
    noId: (n: number) => `${number(n)} ${n === 1 ? 'has' : 'have'} no ID: they never wrote, and none was given`,
    noAddress: (n: number, idFrom: IdFrom | undefined) =>
      `${number(n)} ${n === 1 ? 'has' : 'have'} no ID and no ${addressOf(idFrom)}`,
    idTaken: (n: number) => `${number(n)} would get an ID that another contact has`,
  },
  nobody: 'Nobody on this list can be written to.',
  nobodySays: ({ contacts, optedOut, noId, idFrom }: Nobody) => {
    if (contacts === 0) return 'Nobody is on it yet.'
    if (contacts === optedOut) return 'Everybody has opted out.'
    return idFrom === undefined && noId > 0
      ? 'Everybody has opted out, or has no ID on your platform. Change it, and choose what becomes their ID.'
      : 'Everybody has opted out, or can get no ID.'
  },
  exampleSays: (idFrom: IdFrom) => `The ${addressOf(idFrom)} becomes the ID of whoever has none, just like this:`,
  exampleMust: 'When they answer, your platform must send exactly this as fromId.',
  takes: (time: string) => `At this rate it takes about ${time}.`,
  trouble: {
    no_endpoint: 'No webhook is saved. It will wait until there is one.',
    endpoint_paused: 'The receiver is paused. It will wait until it is resumed.',
    endpoint_gone: 'Your server says its address is gone. It will wait until another one is saved.',
    endpoint_failing: 'The receiver fails at the moment. It will wait until it is back.',
  } satisfies Record<Reason, string>,
  send: (n: number) => `Send to ${contacts(n)}`,
  sending: 'Starting…',
  once: 'It starts at once. You can pause or stop it.',

  back: 'Broadcasts',
  pause: 'Pause',
  pausing: 'Pausing…',
  resume: 'Resume',
  resuming: 'Resuming…',
  stop: 'Stop',
  stopAsk: 'Stop it for good?',
  stopSays: (n: number) =>
    `${contacts(n)} ${n === 1 ? 'has' : 'have'} not got it yet and never will. What was sent stays sent.`,
  stopIt: 'Stop this broadcast',
  stopping: 'Stopping…',
  keepOn: 'Keep it going',
  waitsFor: {
    no_endpoint: 'It waits: no webhook is saved.',
    endpoint_paused: 'It waits: the receiver is paused.',
    endpoint_gone: 'It waits: your server says its address is gone.',
    endpoint_failing: 'It waits: the receiver fails.',
  } satisfies Record<Reason, string>,
  waitsSays: 'Nothing is lost and nothing is sent meanwhile. After ten minutes it is paused, and you resume it.',
  haltedBy: {
    no_endpoint: 'Paused by itself: for ten minutes no webhook was saved.',
    endpoint_paused: 'Paused by itself: the receiver was paused for ten minutes.',
    endpoint_gone: 'Paused by itself: your server says its address is gone.',
    endpoint_failing: 'Paused by itself: the receiver failed for ten minutes.',
  } satisfies Record<Reason, string>,
  haltedSays: 'Mend the receiver, then resume. It goes on where it was.',
  openReceiver: 'Open receiver',
  progress: 'Progress',
  progressOf: (done: number, all: number) => `${number(done)} of ${number(all)}`,
  preparing: (n: number) => `Copying the list: ${contacts(n)} so far.`,
  atRate: (rate: number) => `${number(rate)} a minute at most`,
  left: (time: string) => `about ${time} left`,
  figures: {
    recipients: 'On the list',
    sent: 'Sent',
    failed: 'Failed',
    waiting: 'Waiting',
    leftOut: 'Left out',
    answered: 'Answered',
  },
  answeredSays: 'Wrote within seven days after it',
  addsUp: 'On the list = sent + failed + waiting + left out.',
  leftOut: 'Left out',
  leftOutWhy: (reason: LeftOut, idFrom: IdFrom | null) =>
    reason === 'noAddress' ? `Have no ID and no ${addressOf(idFrom)}` : leftOutWhy[reason],
  showWho: 'Show who',
  hideWho: 'Hide who',
  leftOutTable: 'Contacts that were left out',
  leftOutColumns: { who: 'Contact', cause: 'Why', when: 'When' },
  leftOutReasons: (reason: string, idFrom: IdFrom | null) =>
    reason === 'no_address' ? `No ${addressOf(idFrom)}` : (leftOutReasons[reason] ?? ''),
  nobodyLeftOut: 'Nobody was left out.',
  failures: 'Failed, by cause',
  noFailures: 'None has failed.',
  failedTable: 'Contacts whose message failed',
  failedColumns: { who: 'Contact', cause: 'Cause', when: 'When' },
  answersTable: 'Who answered',
  answersNone: 'Nobody has answered yet.',
  answersColumns: { who: 'Contact', when: 'Answered' },
  erasedContact: 'Erased',
  olderRemoved: 'Who they were was removed with messages of that age; the figures stay.',
  message: 'Message',
  about: {
    list: 'List',
    channel: 'Channel',
    campaign: 'Answers go to',
    rate: 'Rate',
    by: 'Started by',
    when: 'Started',
    ended: 'Ended',
    id: 'ID',
  },
  byKey: 'An API key',
  deletedList: (name: string) => `${name} (deleted)`,
  copyId: 'broadcast ID',
  gone: 'This broadcast is gone.',
  goneSays: 'The address is wrong.',
  more: 'Show more',
  started: (name: string) => `${name} has started.`,
} as const
