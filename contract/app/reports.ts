import type { Static } from 'typebox'
import { reportRanges } from '../report-ranges.ts'
import { Type } from '../schema.ts'
import { oneOf, orNull } from './fields.ts'
import { Channel } from './messages.ts'
import type { AppRoute } from './route.ts'

/** The sums of a day, a channel or a whole range. */
export const Figures = Type.Object({
  messagesIn: Type.Integer(),
  messagesOut: Type.Integer(),
  /** Messages that came in, by who replied first. */
  byBot: Type.Integer(),
  byPerson: Type.Integer(),
  byApi: Type.Integer(),
  byNobody: Type.Integer(),
  /** From the first message that waited to the first reply; null without any. */
  response: Type.Object({
    times: Type.Integer(),
    medianMs: orNull(Type.Integer()),
    p90Ms: orNull(Type.Integer()),
  }),
  /** Days of conversations with replies of the bot, and those of them without a person that end with an answer. */
  botConversations: Type.Integer(),
  botResolved: Type.Integer(),
  /** Messages that arrived, that were given up, and that are still to be delivered. */
  delivery: Type.Object({
    sent: Type.Integer(),
    failed: Type.Integer(),
    open: Type.Integer(),
    medianMs: orNull(Type.Integer()),
  }),
  /** Questions that the bot could not answer. */
  unanswered: Type.Integer(),
  credits: Type.Number(),
})
export type Figures = Static<typeof Figures>

export const ReportDay = Type.Object({ day: Type.String({ format: 'date' }), figures: Figures })

export const Report = Type.Object({
  /** Whose days they are. */
  timeZone: Type.String(),
  /** Null: everything is counted. Else how much of it, in percent. */
  counting: orNull(Type.Integer()),
  /**
   * Since when a conversation's day is not resolved that ends with a fallback or with an offer nobody chose from. Days before it
   * stay as they were counted. Null: all days are counted so.
   */
  missesSince: orNull(Type.String({ format: 'date' })),
  /** Whether the account has credits. */
  isMetered: Type.Boolean(),
  total: Figures,
  /** The same number of days before. */
  before: Figures,
  /** Every day of the range, the oldest first. */
  days: Type.Array(ReportDay),
  /** Without a channel: one of which no contact is left. The busiest first. */
  channels: Type.Array(Type.Object({ channel: orNull(Channel), figures: Figures })),
  /** All channels that can be asked for. */
  allChannels: Type.Array(Channel),
  /** Messages that are to be delivered at this moment; up to 1,000, then there are more. */
  owedNow: Type.Integer(),
  /** What the list of unanswered questions has now; null: nothing. */
  openQuestions: orNull(
    Type.Object({
      times: Type.Integer(),
      groups: Type.Integer(),
      /** The group that was asked most often, and its campaign. */
      largest: Type.Integer(),
      campaignId: Type.String(),
    }),
  ),
})
export type Report = Static<typeof Report>

const Asked = Type.Object({
  range: oneOf(...reportRanges),
  channel: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
})

export const reportRoutes = {
  'GET /api/reports': {
    guard: 'member',
    summary: 'The figures of the last days, in the time zone of the account, of all channels or one',
    query: Asked,
    reply: Report,
  },
  'GET /api/reports/csv': {
    guard: 'member',
    summary: 'The same by day and channel, as a CSV file',
    query: Asked,
    raw: true,
  },
} as const satisfies Record<string, AppRoute>
