import type { Figures } from '@patchbay/contract/app/reports.ts'
import type { ReportRange } from '@patchbay/contract/report-ranges.ts'

const number = new Intl.NumberFormat()

const day = (text: string, options: Intl.DateTimeFormatOptions) =>
  new Date(`${text}T00:00:00Z`).toLocaleDateString(undefined, { ...options, timeZone: 'UTC' })

function percent(part: number, whole: number): string | undefined {
  return whole === 0 ? undefined : `${Math.round((100 * part) / whole)} %`
}

/** Formats a share with one decimal, and rounded down: 99.96 % is not all. */
function exactPercent(part: number, whole: number): string | undefined {
  return whole === 0 ? undefined : `${number.format(Math.floor((1_000 * part) / whole) / 10)} %`
}

/** A time that something took, in the unit that says it shortest. */
function duration(ms: number | null): string {
  if (ms === null) return none
  if (ms < 1_000) return `${ms} ms`
  if (ms < 10_000) return `${number.format(Math.floor(ms / 100) / 10)} s`
  if (ms < 90_000) return `${Math.floor(ms / 1_000)} s`
  if (ms < 90 * 60_000) return `${Math.round(ms / 60_000)} min`
  if (ms < 48 * 3_600_000) return `${Math.round(ms / 3_600_000)} h`
  return `${Math.round(ms / 86_400_000)} days`
}

const none = '–'

const span = (range: ReportRange) => `the ${range} days before`

const messages = (count: number) => (count === 1 ? '1 message' : `${number.format(count)} messages`)

export const reportWords = {
  title: 'Reports',
  range: 'Range',
  ranges: { 7: '7 d', 30: '30 d', 90: '90 d' } satisfies Record<ReportRange, string>,
  allChannels: 'All channels',
  channel: 'Channel',
  former: 'Former channel',
  formerHint: 'No contact is left on it, so its name was forgotten.',
  csv: 'CSV',
  none,
  number: (value: number) => number.format(value),
  percent: (part: number, whole: number) => percent(part, whole) ?? none,
  exactPercent: (part: number, whole: number) => exactPercent(part, whole) ?? none,
  duration,

  counting: (done: number) => `Counting what was here before: ${done} %. The figures are not complete yet.`,

  in: 'Messages in',
  inThan: (now: number, before: number, range: ReportRange) => {
    if (now === before) return `as many as ${span(range)}`
    const many = number.format(Math.abs(now - before))
    return `${many} ${now > before ? 'more' : 'fewer'} than ${span(range)}`
  },
  resolved: 'Bot resolved',
  resolvedWas: ({ botResolved, botConversations }: Figures) => {
    const was = percent(botResolved, botConversations)
    return was === undefined ? 'without a person' : `without a person; was ${was}`
  },
  resolvedSince: (since: string) => `counted more strictly since ${day(since, { day: 'numeric', month: 'short' })}`,
  noReplies: 'no replies of the bot',
  response: 'First response',
  responseSays: (p90: number | null) => (p90 === null ? 'nothing was answered' : `median · p90 ${duration(p90)}`),
  delivered: 'Delivered',
  deliveredSays: (medianMs: number | null, owed: number) =>
    [
      medianMs === null ? 'nothing arrived' : `median ${duration(medianMs)}`,
      `${owed >= 1_000 ? '1,000+' : number.format(owed)} owed now`,
    ].join(' · '),
  credits: 'Credits',
  aDay: (credits: number, days: number) => `≈ ${number.format(Math.round(credits / days))} a day`,
  unanswered: 'Unanswered',
  unansweredSays: 'questions the bot had no answer to',

  how: (figure: string) => `How “${figure}” is counted`,
  about: {
    in: 'Texts and files that contacts sent. A reaction is no message, and simulated contacts do not count.',
    resolved: (since: string | null) =>
      `Of all days of conversations on which the bot replied: those on which no person replied, the bot handed over to none, and its last answer was neither a fallback nor an offer that nobody chose from. One conversation on two days counts twice.${
        since === null
          ? ''
          : ` How a day ended counts since ${day(since, { dateStyle: 'long' })}; days before stay as they were.`
      }`,
    response:
      'From the first message that waits to the first reply: by the bot, a person or the API. A broadcast is no reply. It counts on the day, and on the channel, where the wait began. Closing a conversation ends a wait without a reply. Half of all waits were no longer than the median, nine of ten no longer than p90.',
    delivered:
      'Of all messages that arrived at your receiver or were given up. What is still tried is not in it. The median is the time from the message to its arrival, with all tries. One that is sent again and arrives counts as delivered, on the day it was written.',
    credits: 'What answers of the bot and messages over built-in channels cost, less what was taken back.',
    unanswered: 'Questions that the bot answered with its fallback, or could only offer something near.',
    who: 'Every message of a contact, on the day it came, by who replied first after it. “Nobody” also has those that need no reply.',
  },

  who: 'Who answered',
  bot: 'Bot',
  person: 'Person',
  api: 'API',
  nobody: 'Nobody yet',
  view: 'Show as',
  chart: 'Chart',
  table: 'Table',
  chartSays: (days: number) => `Messages a day over ${days} days, by who answered. Arrow keys go through the days.`,
  dayShort: (text: string) => day(text, { day: 'numeric', month: 'short' }),
  dayLong: (text: string) => day(text, { weekday: 'short', day: 'numeric', month: 'short' }),
  today: 'today',
  dayFigures: (text: string, { messagesIn, byBot, byPerson, byApi, byNobody }: Figures) =>
    `${day(text, { weekday: 'long', day: 'numeric', month: 'long' })}: ${messages(messagesIn)}; bot ${byBot}, person ${byPerson}, ${byApi > 0 ? `API ${byApi}, ` : ''}nobody yet ${byNobody}`,
  byDay: 'By day',
  dayColumns: {
    day: 'Day',
    in: 'In',
    out: 'Out',
    bot: 'Bot',
    person: 'Person',
    api: 'API',
    nobody: 'Nobody yet',
    resolved: 'Bot resolved',
    response: 'First response',
    p90: 'p90',
    unanswered: 'Unanswered',
    delivered: 'Delivered',
    credits: 'Credits',
  },
  byChannel: 'By channel',
  channelColumns: {
    channel: 'Channel',
    in: 'In',
    resolved: 'Bot resolved',
    out: 'Out',
    response: 'First response',
    p90: 'p90',
    delivered: 'Delivered',
    credits: 'Credits',
  },
  noChannels: 'No messages in these days.',

  couldNot: 'What it could not answer:',
  questions: (times: number, groups: number) =>
    `${number.format(times)} ${times === 1 ? 'question' : 'questions'} in ${number.format(groups)} ${groups === 1 ? 'group' : 'groups'}`,
  teaching: (largest: number) => `Teaching the first group would answer ${number.format(largest)} of them.`,
  zone: (timeZone: string) => `Days begin at midnight in ${timeZone}.`,
  changeZone: 'Change the time zone',

  empty: 'Nothing to count yet.',
  emptySays: 'Figures stand here a few seconds after the first message: who answered, how fast, and what arrived.',
  tryIt: 'Play a message in the simulator',
} as const

/** Settings › Account. */
export const timeZoneWords = {
  title: 'Time zone',
  says: 'Days of reports begin at midnight there.',
  label: 'Time zone of the account',
  hint: 'Such as Europe/Berlin.',
  save: 'Save',
  saving: 'Saving…',
  saved: 'Saved. Reports follow in a moment.',
  browser: (zone: string) => `Your browser is in ${zone}.`,
  use: 'Use it',
  ownerOnly: 'Only the owner of the account can change it.',
} as const
