import type { Movement } from '@patchbay/contract/app/agency.ts'

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** Balances and histories, of the agency's screen and of Settings › Credits. */
export const creditWords = {
  credits: 'credits',
  held: 'held for answers being made',
  lasts: (days: number) => (days === 1 ? '≈ 1 day' : `≈ ${days} days`),
  pace: (aDay: string) => `at ≈ ${aDay} a day`,
  chart: (days: number, first: string, last: string) => `Balance over ${days} days: from ${first} to ${last}`,
  short: (value: number) => short.format(value),
  day: (day: string) =>
    new Date(`${day}T00:00:00Z`).toLocaleDateString(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  today: 'today',
  granted: (amount: string) => `+${amount} granted`,
  rechargeBelow: (threshold: string) => `recharge below ${threshold}`,
  history: 'History',
  table: 'History of credits',
  columns: { when: 'When', what: 'What', by: 'By', credits: 'Credits', balance: 'Balance', actions: 'Actions' },
  csv: 'CSV',
  answer: 'Answer',
  answerTo: 'Answer to',
  messageTo: (message: string) => `${message} to`,
  nameless: 'a contact',
  grant: 'Grant',
  reversal: 'Taken back',
  reversed: (description: string) => `Taken back: ${description}`,
  wasReversed: 'taken back',
  by: { bot: 'bot', key: 'API key', operator: 'operator', user: 'somebody' } satisfies Record<
    Movement['by']['kind'],
    string
  >,
  none: 'No movements yet.',
  noneSays: 'Every grant, and every answer and message that costs something, stands here, with the balance after it.',
  never: 'Rows are never changed. A mistake is taken back by a row the other way round.',

  title: 'Credits',
  says: (agency: string) =>
    `${agency} grants them; each answer of the bot costs some, and each message over a channel with a price.`,
  empty: 'No credits for an answer: the bot is silent.',
  emptySays: (agency: string) => `It goes on by itself as soon as ${agency} grants some.`,
  low: 'Running low.',
  lowAsked: (agency: string) => `${agency} was asked for a recharge.`,
  prices: 'What answers and messages cost',
  answerOf: (campaign: string) => `An answer of ${campaign}`,
  messageOver: (channel: string) => `A message over ${channel}`,
  pricesSays: (agency: string) => `${agency} sets this.`,
  recharge: 'Auto-recharge',
  rechargeSays: (threshold: string, amount: string) => `Below ${threshold}, ${amount} are asked for.`,
  rechargeOff: 'Off.',
} as const
