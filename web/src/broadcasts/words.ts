import type { ShownBroadcast } from '@patchbay/contract/app/broadcasts.ts'
import { reachWords } from '../lists/reach-words.ts'

const format = new Intl.NumberFormat()
const number = (n: number) => format.format(n)
const contacts = (n: number) => (n === 1 ? '1 contact' : `${number(n)} contacts`)

type Reason = NonNullable<ShownBroadcast['waiting']>['reason']
type Halt = NonNullable<ShownBroadcast['halted']>['reason']
type IdFrom = 'phone' | 'email'
type LeftOut = keyof ShownBroadcast['counts']['leftOut']
type Nobody = { contacts: number; optedOut: number; noId: number; idFrom: IdFrom | undefined; isOverChannel: boolean }
type Way = Pick<ShownBroadcast, 'idFrom' | 'channelId'>

/** What was to become an ID. */
const addressOf = (idFrom: IdFrom | null | undefined) => (idFrom === 'email' ? 'e-mail address' : 'phone number')

const leftOutWhy: Record<Exclude<LeftOut, 'noAddress'>, string> = {
  optedOut: 'Opted out before their turn',
  blocked: 'Stopped the channel, or blocked it',
  noId: 'Have no ID: they never wrote, and none was given',
  idTaken: 'Another contact has the ID that they would get',
  erased: 'Erased before they got it',
  stopped: 'Had not got it when it was stopped',
}

/** Over a built-in channel. */
const leftOutThere: Partial<typeof leftOutWhy> = {
  noId: 'Not known on the channel, and no number for it',
  idTaken: 'Another contact has their number on the channel',
}

const leftOutReasons: Record<string, string | undefined> = {
  opted_out: 'Opted out',
  no_id: 'No ID',
  id_taken: 'ID of another contact',
  erased: 'Erased',
  blocked: 'Stopped',
}

/** Over a built-in channel. */
const reasonsThere: Record<string, string | undefined> = {
  no_id: 'Not known there',
  id_taken: 'Number of another contact',
}

const trouble: Record<Reason, string> = {
  no_endpoint: 'No webhook is saved. It will wait until there is one.',
  endpoint_paused: 'The receiver is paused. It will wait until it is resumed.',
  endpoint_gone: 'Your server says its address is gone. It will wait until another one is saved.',
  endpoint_failing: 'The receiver fails at the moment. It will wait until it is back.',
  channel_attention: 'The channel needs attention. It will wait until it works.',
  channel_paused: 'The channel is paused. It will wait until it is resumed.',
  channel_removed: 'The channel was disconnected.',
  restored_copy: 'This is a restored copy. It will wait until somebody says that the channel goes on here.',
  no_credits: 'There are not enough credits for a message. It will wait until there are.',
}

const waitsFor: Record<Reason, string> = {
  no_endpoint: 'It waits: no webhook is saved.',
  endpoint_paused: 'It waits: the receiver is paused.',
  endpoint_gone: 'It waits: your server says its address is gone.',
  endpoint_failing: 'It waits: the receiver fails.',
  channel_attention: 'It waits: the channel needs attention.',
  channel_paused: 'It waits: the channel is paused.',
  channel_removed: 'It waits: the channel was disconnected.',
  restored_copy: 'It waits: this is a restored copy.',
  no_credits: 'It waits: there are not enough credits.',
}

const haltedBy: Record<Halt, string> = {
  no_endpoint: 'Paused by itself: for ten minutes no webhook was saved.',
  endpoint_paused: 'Paused by itself: the receiver was paused for ten minutes.',
  endpoint_gone: 'Paused by itself: your server says its address is gone.',
  endpoint_failing: 'Paused by itself: the receiver failed for ten minutes.',
  channel_attention: 'Paused by itself: for ten minutes the channel needed attention.',
  channel_paused: 'Paused by itself: the channel was paused for ten minutes.',
  channel_removed: 'Paused by itself: the channel was disconnected.',
  restored_copy:
    'Paused by itself: this is a restored copy, and whom it had reached since the backup nobody knows here.',
  no_credits: 'Paused by itself: for ten minutes there were not enough credits.',
  missed_start: 'It did not start: no server ran at its time and for an hour after.',
}

const mendChannel = 'Mend the channel, then resume. It goes on where it was.'

const haltedSays: Partial<Record<Halt, string>> = {
  channel_attention: mendChannel,
  channel_paused: mendChannel,
  channel_removed: 'Connect it again and resume, or stop the broadcast.',
  restored_copy: 'Resume it if they may get it twice, or stop it.',
  no_credits: 'Get credits, then resume. It goes on where it was.',
  missed_start: 'Start it now, or give it another time.',
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
    scheduled: 'Scheduled',
    preparing: 'Preparing',
    running: 'Running',
    paused: 'Paused',
    stopped: 'Stopped',
    finished: 'Finished',
    waiting: 'Waiting',
    halted: 'Halted',
  },
  cancelled: 'Cancelled',

  form: 'New broadcast',
  formChange: 'Change broadcast',
  by: 'By',
  byCustom: 'A custom channel',
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
  rateHint: (most: number) =>
    `At most ${number(Math.floor(most))} here: four fifths of what the channel takes, so that replies go first.`,
  rateWrong: 'A whole number from 1 to 6,000.',
  start: 'Start',
  startNow: 'At once',
  startLater: 'Later',
  startDate: 'On',
  startTime: 'At',
  startZone: (zone: string) => `By the clock of ${zone}, the time zone of the account.`,
  startMissing: 'Choose a day and a time.',
  startPast: 'That is over. Choose a later time.',
  skipped: 'No clock shows that time: it is put forward then.',
  twice: 'Clocks show that time twice: they are put back then.',
  startsThen: (time: string) => `It starts on ${time}.`,
  peopleThen: 'It goes to those who are on the list then.',
  reachCard: 'Who gets it',
  leftOutOfAll: (left: number, all: number) => `Left out: ${number(left)} of ${number(all)}`,
  leftOutOver: {
    noId: (writesFirstTo: 'phone numbers' | 'nobody') =>
      writesFirstTo === 'nobody' ? 'Never wrote there' : 'No number, and never wrote there',
    optedOut: 'Opted out: not to be written to on any channel',
    blocked: 'Stopped there: the provider would refuse them',
    idTaken: 'Another contact has their number there',
  },
  look: 'Preview',
  looking: 'Counting…',
  change: 'Change',
  cancel: 'Cancel',
  preview: 'Preview',
  previewSays: (list: string) => `The first messages, as contacts on ${list} will read them.`,
  gets: (n: number) => `${contacts(n)} ${n === 1 ? 'gets' : 'get'} it`,
  leftOutOf: {
    optedOut: (n: number) => `${number(n)} opted out`,
    blocked: (n: number) => `${number(n)} stopped the channel`,
    unknown: (n: number) => `${number(n)} ${n === 1 ? 'is' : 'are'} not known there, with no number for it`,
    numberTaken: (n: number) => `${number(n)} ${n === 1 ? 'has' : 'have'} a number that is another contact’s there`,
    noId: (n: number) => `${number(n)} ${n === 1 ? 'has' : 'have'} no ID: they never wrote, and none was given`,
    noAddress: (n: number, idFrom: IdFrom | undefined) =>
      `${number(n)} ${n === 1 ? 'has' : 'have'} no ID and no ${addressOf(idFrom)}`,
    idTaken: (n: number) => `${number(n)} would get an ID that another contact has`,
  },
  nobody: 'Nobody on this list can be written to.',
  nobodySays: ({ contacts, optedOut, noId, idFrom, isOverChannel }: Nobody) => {
    if (contacts === 0) return 'Nobody is on it yet.'
    if (contacts === optedOut) return 'Everybody has opted out.'
    if (isOverChannel) return 'Everybody has opted out or stopped the channel, or is not known there.'
    return idFrom === undefined && noId > 0
      ? 'Everybody has opted out, or has no ID on your platform. Change it, and choose what becomes their ID.'
      : 'Everybody has opted out, or can get no ID.'
  },
  exampleSays: (idFrom: IdFrom) => `The ${addressOf(idFrom)} becomes the ID of whoever has none, just like this:`,
  exampleMust: 'When they answer, your platform must send exactly this as fromId.',
  takes: (time: string) => `At this rate it takes about ${time}.`,
  places: ({ least, most, all }: { least: number; most: number; all: number }) =>
    `Each takes ${least === most ? number(most) : `${number(least)} to ${number(most)}`} of its places: ${number(all)} in all.`,
  trouble: (reason: Reason, isOverChannel: boolean) =>
    isOverChannel && reason === 'endpoint_failing'
      ? 'The provider of the channel does not answer at the moment. It will wait until it does.'
      : trouble[reason],
  send: (n: number) => `Send to ${contacts(n)}`,
  sending: 'Starting…',
  schedule: 'Schedule it',
  scheduling: 'Scheduling…',
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
  stopWords: { doIt: 'Stop this broadcast', doing: 'Stopping…', keep: 'Keep it going' },
  changeIt: 'Change',
  startIt: 'Start now',
  cancelIt: 'Cancel it',
  cancelAsk: 'Cancel it?',
  cancelSays: 'Nobody has got anything, and nobody will.',
  cancelWords: { doIt: 'Cancel this broadcast', doing: 'Cancelling…', keep: 'Keep it' },
  startsAt: 'It starts on',
  scheduledSays: 'Until then it can be changed or cancelled.',
  waitsFor: (reason: Reason, isOverChannel: boolean) =>
    isOverChannel && reason === 'endpoint_failing'
      ? 'It waits: the provider of the channel does not answer.'
      : waitsFor[reason],
  waitsSays: 'Nothing is lost and nothing is sent meanwhile. After ten minutes it is paused, and you resume it.',
  haltedBy: (reason: Halt, isOverChannel: boolean) =>
    isOverChannel && reason === 'endpoint_failing'
      ? 'Paused by itself: the provider of the channel did not answer for ten minutes.'
      : haltedBy[reason],
  haltedSays: (reason: Halt) => haltedSays[reason] ?? 'Mend the receiver, then resume. It goes on where it was.',
  openReceiver: 'Open receiver',
  openChannel: 'Open channel',
  progress: 'Progress',
  progressOf: (done: number, all: number) => `${number(done)} of ${number(all)}`,
  preparing: (n: number) => `Copying the list: ${contacts(n)} so far.`,
  atRate: (rate: number) => `${number(rate < 10 ? Math.round(rate * 10) / 10 : Math.floor(rate))} a minute at most`,
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
  leftOutWhy: (reason: LeftOut, { idFrom, channelId }: Way) =>
    reason === 'noAddress'
      ? `Have no ID and no ${addressOf(idFrom)}`
      : ((channelId === null ? undefined : leftOutThere[reason]) ?? leftOutWhy[reason]),
  showWho: 'Show who',
  hideWho: 'Hide who',
  leftOutTable: 'Contacts that were left out',
  leftOutColumns: { who: 'Contact', cause: 'Why', when: 'When' },
  leftOutReasons: (reason: string, { idFrom, channelId }: Way) =>
    reason === 'no_address'
      ? `No ${addressOf(idFrom)}`
      : ((channelId === null ? undefined : reasonsThere[reason]) ?? leftOutReasons[reason] ?? ''),
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
    made: 'Scheduled',
    starts: 'Starts',
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
  scheduled: (name: string) => `${name} is scheduled.`,
} as const
