import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { requiredText } from '../text.ts'
import { Done, orNull, Time } from './fields.ts'
import type { AppRoute } from './route.ts'

export const Account = Type.Object({
  name: Type.String(),
  userName: Type.String(),
  email: Type.String(),
  key: orNull(Type.Object({ createdAt: Time })),
  /** Requests a minute with the key; 0: no limit. */
  rateLimitPerMinute: Type.Integer(),
  botActive: Type.Boolean(),
  /** In which the days of reports begin: an IANA name. */
  timeZone: Type.String(),
  otherSessions: Type.Integer(),
})
export type Account = Static<typeof Account>

export const ProfileChange = Type.Partial(
  Type.Object({
    name: requiredText(limits.nameCharacters, 'Name of the business.'),
    userName: requiredText(limits.nameCharacters, 'Your name, as colleagues see it.'),
  }),
)

export const PasswordChange = Type.Object({
  current: Type.String({ minLength: 1, maxLength: limits.password.to }),
  password: Type.String({ minLength: limits.password.from, maxLength: limits.password.to }),
})

/** The password again, before something secret is shown. */
export const PasswordAgain = Type.Object({ password: Type.String({ minLength: 1, maxLength: limits.password.to }) })

/** Shown once: only its hash is kept. */
export const NewKey = Type.Object({ apiKey: Type.String(), createdAt: Time })

export const TimeZoneChange = Type.Object({ timeZone: Type.String({ minLength: 1, maxLength: 64 }) })

export const BotSwitch = Type.Object({ active: Type.Boolean() })

export const accountRoutes = {
  'GET /api/account': { guard: 'member', summary: 'Account and profile', reply: Account },
  'PATCH /api/account': {
    guard: 'member',
    notVisiting: true,
    summary: 'Change names; that of the business only as owner',
    body: ProfileChange,
    reply: Account,
  },
  'PUT /api/account/password': {
    guard: 'member',
    notVisiting: true,
    summary: 'Change the password',
    body: PasswordChange,
    reply: Done,
  },
  'POST /api/account/key': { guard: 'owner', notVisiting: true, summary: 'Generate the API key', reply: NewKey },
  'PUT /api/account/bot': { guard: 'owner', summary: 'Switch the bot on or off', body: BotSwitch, reply: Account },
  'PUT /api/account/time-zone': {
    guard: 'owner',
    summary: 'Let the days of reports begin in another time zone',
    body: TimeZoneChange,
    reply: Account,
  },
} as const satisfies Record<string, AppRoute>
