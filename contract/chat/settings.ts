import type { Static } from 'typebox'
import { Type } from '../schema.ts'
import { requiredText } from '../text.ts'
import { chatLanguages } from './protocol.ts'

const oneOf = <const Values extends readonly string[]>(...values: Values) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values })
const orNull = <Value>(schema: object) => Type.Unsafe<Value | null>({ ...schema, nullable: true })

const Words = Type.Object(
  {
    greeting: Type.String({ maxLength: 500 }),
    button: Type.String({ maxLength: 40 }),
    privacy: Type.String({ maxLength: 200 }),
    privacyUrl: orNull<string>(Type.String({ maxLength: 2_048, pattern: '^https?://' })),
  },
  { additionalProperties: false },
)

const Clock = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$' })

/** When people answer. Days are 1 (Monday) to 7; a window that ends before it begins goes on until the next morning. */
export const ChatHours = Type.Object(
  {
    zone: requiredText(64, 'A time zone such as Europe/Berlin.'),
    windows: Type.Array(
      Type.Object(
        { day: Type.Integer({ minimum: 1, maximum: 7 }), from: Clock, to: Clock },
        { additionalProperties: false },
      ),
      { maxItems: 42 },
    ),
    /** Whole days, such as 2026-12-25. */
    closed: Type.Array(Type.String({ pattern: '^[0-9]{4}-[01][0-9]-[0-3][0-9]$' }), { maxItems: 100 }),
  },
  { additionalProperties: false },
)
export type ChatHours = Static<typeof ChatHours>

const limit = (maximum: number) => Type.Integer({ minimum: 1, maximum })

/** What a channel's day and minute may cost. */
export const ChatCaps = Type.Object(
  {
    contactsAMinute: limit(10_000),
    contactsADay: limit(1_000_000),
    messagesAMinute: limit(100_000),
    messagesADay: limit(10_000_000),
    fileBytesADay: limit(1_000_000_000_000),
    modelAnswersADay: limit(1_000_000),
  },
  { additionalProperties: false },
)
export type ChatCaps = Static<typeof ChatCaps>

export const usualCaps: ChatCaps = {
  contactsAMinute: 60,
  contactsADay: 2_000,
  messagesAMinute: 600,
  messagesADay: 20_000,
  fileBytesADay: 1_000_000_000,
  modelAnswersADay: 500,
}

/** What an owner sets of a website chat. Stored with the channel; nothing in it is secret. */
export const WebchatSettings = Type.Object(
  {
    /** `host`, `*.host` or with a port; in lower case and punycode. */
    pages: Type.Array(requiredText(260, 'Such as shop.example or *.shop.example.'), { minItems: 1, maxItems: 50 }),
    colour: Type.String({ pattern: '^#[0-9a-fA-F]{6}$' }),
    scheme: oneOf('auto', 'light', 'dark'),
    corner: oneOf('left', 'right'),
    languages: Type.Array(oneOf(...chatLanguages), { minItems: 1, maxItems: chatLanguages.length, uniqueItems: true }),
    words: Type.Unsafe<Partial<Record<(typeof chatLanguages)[number], Static<typeof Words>>>>({
      type: 'object',
      properties: Object.fromEntries(chatLanguages.map((language) => [language, Words])),
      additionalProperties: false,
    }),
    /** Null: always. */
    hours: orNull<ChatHours>(ChatHours),
    campaignId: orNull<string>(Type.String({ maxLength: 128 })),
    asksEmail: Type.Boolean(),
    tellsPage: Type.Boolean(),
    takesFiles: Type.Boolean(),
    showsNames: Type.Boolean(),
    keeps: oneOf('year', 'tab'),
    deletes: oneOf('ask', 'at once'),
    members: oneOf('off', 'may', 'must'),
    caps: ChatCaps,
  },
  { additionalProperties: false },
)
export type WebchatSettings = Static<typeof WebchatSettings>

/** What an owner gives: what is left out stays, or is as usual for a new one. */
export const GivenWebchat = Type.Object(Type.Partial(WebchatSettings).properties, { additionalProperties: false })
export type GivenWebchat = Static<typeof GivenWebchat>

/** What a new website chat begins with, beside its pages. */
export const usualWebchat: Omit<WebchatSettings, 'pages'> = {
  colour: '#00616E',
  scheme: 'auto',
  corner: 'right',
  languages: ['en'],
  words: {},
  hours: null,
  campaignId: null,
  asksEmail: true,
  tellsPage: true,
  takesFiles: true,
  showsNames: true,
  keeps: 'year',
  deletes: 'ask',
  members: 'off',
  caps: usualCaps,
}
