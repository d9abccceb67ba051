import type { Static } from 'typebox'
import { channelKinds } from '../channels.ts'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { nullableText, optionalText, requiredText } from '../text.ts'
import { Cursor, CursorQuery, Id, LimitQuery, oneOf, orNull, Time } from './fields.ts'
import type { AppRoute } from './route.ts'
import { NewLink } from './team.ts'

/** Credits in an answer: with at most 4 decimals and 15 digits, which a number holds exactly. */
const Credits = Type.Number()
/** Credits in a request, as they were typed. */
const CreditsText = Type.String({ minLength: 1, maxLength: 40, description: 'Credits, with at most 4 decimals.' })

export const Recharge = Type.Object({
  threshold: Credits,
  amount: Credits,
  /** The agency was asked, and the balance has not been at the threshold since. */
  isAsked: Type.Boolean(),
})

export const Subaccount = Type.Object({
  id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  balance: Credits,
  held: Credits,
  recharge: orNull(Recharge),
  /** `empty`: it does not cover an answer and the message with it, so the bot is silent. `low`: it is below the threshold. */
  state: oneOf('ok', 'low', 'empty'),
})
export type Subaccount = Static<typeof Subaccount>

/** `spark`: the balance at the end of each of the last 30 days, oldest first. */
export const ListedSubaccount = Type.Object({ ...Subaccount.properties, spark: Type.Array(Credits) })
export type ListedSubaccount = Static<typeof ListedSubaccount>

/** One day, in UTC, with the balance at its end. */
export const CreditDay = Type.Object({
  day: Type.String(),
  granted: Credits,
  used: Credits,
  reversed: Credits,
  balance: Credits,
})
export type CreditDay = Static<typeof CreditDay>

export const PricedCampaign = Type.Object({
  id: Type.String(),
  name: Type.String(),
  status: oneOf('draft', 'live', 'paused', 'archived'),
  creditsPerReply: Type.Number(),
})

/** A built-in channel that is connected. */
export const PricedChannel = Type.Object({
  id: Type.String(),
  kind: oneOf(...channelKinds),
  name: Type.String(),
  /** What each message over it costs, whoever writes it. */
  creditsPerMessage: Type.Number(),
})
export type PricedChannel = Static<typeof PricedChannel>

export const SubaccountDetail = Type.Object({
  subaccount: Subaccount,
  createdAt: Time,
  /** Requests a minute with the key; null: the server's default; 0: no limit. */
  rateLimitPerMinute: orNull(Type.Integer()),
  usualRateLimit: Type.Integer(),
  /** The most that this agency may give: what it has itself; 0: no limit. */
  mostRateLimit: Type.Integer(),
  campaigns: Type.Array(PricedCampaign),
  channels: Type.Array(PricedChannel),
  /** The last 30 days, oldest first. */
  days: Type.Array(CreditDay),
})
export type SubaccountDetail = Static<typeof SubaccountDetail>

const movement = {
  id: Type.String(),
  at: Time,
  kind: oneOf('grant', 'usage', 'reversal'),
  /** Null where none was given, and for answers; of a message it says over which channel it went. */
  description: nullableText({}),
  by: Type.Object({ kind: oneOf('bot', 'key', 'operator', 'user'), name: nullableText({}) }),
  /** Below 0 when it lowered the balance. */
  amount: Credits,
  balanceAfter: Credits,
  isReversed: Type.Boolean(),
}

/** As an agency sees it: no contact is named. */
export const Movement = Type.Object(movement)
export type Movement = Static<typeof Movement>

/** As the sub-account itself sees it. A contact that was erased has no name. */
export const OwnMovement = Type.Object({
  ...movement,
  contact: orNull(Type.Object({ id: Type.String(), name: nullableText({}) })),
})
export type OwnMovement = Static<typeof OwnMovement>

const PageQuery = Type.Object({ before: CursorQuery, limit: LimitQuery })
const SubaccountPath = Type.Object({ accountId: Id })

export const NewSubaccount = Type.Object({
  name: requiredText(limits.nameCharacters, 'Name of the business.'),
  email: requiredText(limits.emailCharacters, 'E-mail address of its owner, who signs in with it.'),
})

/** The password is shown once: only its hash is kept. */
export const MadeSubaccount = Type.Object({ id: Type.String(), email: Type.String(), password: Type.String() })
export type MadeSubaccount = Static<typeof MadeSubaccount>

export const SubaccountChange = Type.Partial(
  Type.Object({
    name: requiredText(limits.nameCharacters, 'Name of the business.'),
    email: requiredText(limits.emailCharacters, 'E-mail address of its owner, who signs in with it.'),
    rateLimitPerMinute: orNull(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  }),
)

export const GrantOrder = Type.Object({
  amount: CreditsText,
  description: optionalText(limits.descriptionCharacters, "Stands in the sub-account's history."),
  /** Made by the browser for each form: a grant with it is made once. */
  idempotencyKey: Type.String({ pattern: '^[!-~]{16,64}$' }),
})

/** The balance that this very movement has left. */
export const Moved = Type.Object({ movementId: Type.String(), amount: Credits, balance: Credits })

export const ReversalOrder = Type.Object({
  movementId: Id,
  description: optionalText(limits.descriptionCharacters, "Stands in the sub-account's history."),
})

/** A threshold of 0 switches the requests off. */
export const RechargeOrder = Type.Object({ threshold: CreditsText, amount: CreditsText })

export const OwnCredits = Type.Object({
  balance: Credits,
  held: Credits,
  recharge: orNull(Recharge),
  state: oneOf('ok', 'low', 'empty'),
  agencyName: Type.String(),
  campaigns: Type.Array(PricedCampaign),
  channels: Type.Array(PricedChannel),
  days: Type.Array(CreditDay),
})
export type OwnCredits = Static<typeof OwnCredits>

/** The check of the whole ledger, each night. */
export const LedgerCheck = Type.Object({ at: Time, addsUp: Type.Boolean() })
export type LedgerCheck = Static<typeof LedgerCheck>

export const agencyRoutes = {
  'GET /api/agency/subaccounts': {
    guard: 'agency',
    summary: 'Sub-accounts, newest first, by name, or by balance with the lowest first',
    query: Type.Object({
      ...PageQuery.properties,
      /** Part of a name or an e-mail address. */
      q: Type.Optional(Type.String({ maxLength: limits.nameCharacters })),
      filter: Type.Optional(oneOf('all', 'low')),
      sort: Type.Optional(oneOf('newest', 'name', 'balance')),
    }),
    /** `total` and `low` count all of them; `ledgerCheck` is null until the first night. */
    reply: Type.Object({
      subaccounts: Type.Array(ListedSubaccount),
      next: Cursor,
      total: Type.Integer(),
      low: Type.Integer(),
      ledgerCheck: orNull(LedgerCheck),
    }),
  },
  'POST /api/agency/subaccounts': {
    guard: 'agency',
    summary: 'Create a sub-account',
    body: NewSubaccount,
    reply: MadeSubaccount,
  },
  'GET /api/agency/subaccounts/:accountId': {
    guard: 'agency',
    summary: 'One sub-account',
    params: SubaccountPath,
    reply: SubaccountDetail,
  },
  'PATCH /api/agency/subaccounts/:accountId': {
    guard: 'agency',
    summary: 'Change its name, e-mail address or rate limit',
    params: SubaccountPath,
    body: SubaccountChange,
    reply: SubaccountDetail,
  },
  'POST /api/agency/subaccounts/:accountId/password': {
    guard: 'agency',
    summary: 'Make a link with which its owner sets a new password',
    params: SubaccountPath,
    reply: NewLink,
  },
  'POST /api/agency/subaccounts/:accountId/grants': {
    guard: 'agency',
    summary: 'Grant credits',
    params: SubaccountPath,
    body: GrantOrder,
    reply: Moved,
  },
  'POST /api/agency/subaccounts/:accountId/reversals': {
    guard: 'agency',
    summary: 'Take a movement back by one the other way round',
    params: SubaccountPath,
    body: ReversalOrder,
    reply: Moved,
  },
  'PUT /api/agency/subaccounts/:accountId/recharge': {
    guard: 'agency',
    summary: 'When to ask for a recharge',
    params: SubaccountPath,
    body: RechargeOrder,
    reply: SubaccountDetail,
  },
  'PUT /api/agency/subaccounts/:accountId/campaigns/:campaignId': {
    guard: 'agency',
    summary: 'What an answer of a campaign costs',
    params: Type.Object({ accountId: Id, campaignId: Id }),
    body: Type.Object({ creditsPerReply: Type.Number({ minimum: 0, maximum: 1_000 }) }),
    reply: SubaccountDetail,
  },
  'PUT /api/agency/subaccounts/:accountId/channels/:channelId': {
    guard: 'agency',
    summary: 'What a message over a built-in channel costs',
    params: Type.Object({ accountId: Id, channelId: Id }),
    body: Type.Object({ creditsPerMessage: Type.Number({ minimum: 0, maximum: 1_000 }) }),
    reply: SubaccountDetail,
  },
  'GET /api/agency/subaccounts/:accountId/history': {
    guard: 'agency',
    summary: 'Movements, newest first',
    params: SubaccountPath,
    query: PageQuery,
    reply: Type.Object({ movements: Type.Array(Movement), next: Cursor }),
  },
  'GET /api/agency/subaccounts/:accountId/history/csv': {
    guard: 'agency',
    summary: 'The same as a CSV file',
    params: SubaccountPath,
    raw: true,
  },
  'GET /api/credits': { guard: 'subaccount', summary: 'Balance of this sub-account', reply: OwnCredits },
  'GET /api/credits/history': {
    guard: 'subaccount',
    summary: 'Movements, newest first',
    query: PageQuery,
    reply: Type.Object({ movements: Type.Array(OwnMovement), next: Cursor }),
  },
  'GET /api/credits/history/csv': { guard: 'subaccount', summary: 'The same as a CSV file', raw: true },
} as const satisfies Record<string, AppRoute>
