import type { Static } from 'typebox'
import { limits } from './limits.ts'
import { Type } from './schema.ts'
import { requiredText, visibleText } from './text.ts'

const flag = (fallback: boolean, description: string) => Type.Boolean({ default: fallback, description })
const whole = (minimum: number, maximum: number, [fallback, description]: [number, string]) =>
  Type.Integer({ minimum, maximum, default: fallback, description })
const share = (fallback: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 1, default: fallback, description })
const nullable = <Value>(schema: { type: string }, description: string, fallback: Value | null = null) =>
  Type.Unsafe<Value | null>({ ...schema, type: [schema.type, 'null'], default: fallback, description })
/** What the bot says on an occasion; null: nothing. */
const saying = (description: string, fallback: string | null = null) =>
  nullable<string>(visibleText(limits.sayingCharacters, ''), description, fallback)
const phrases = (description: string) =>
  Type.Array(requiredText(limits.nameCharacters, ''), { maxItems: 100, default: [], description })

const Keyword = Type.Object(
  {
    text: requiredText(limits.nameCharacters, 'Compared without case, accents and repeated spaces.'),
    match: Type.Unsafe<'exact' | 'word' | 'contains'>({ enum: ['exact', 'word', 'contains'] }),
  },
  { additionalProperties: false },
)

const engines = ['builtin', 'openai-compatible', 'openai', 'anthropic'] as const

/** How a bot answers. Every field has a default, and what is not said stays at it. */
export const CampaignSettings = Type.Object(
  {
    channels: nullable<string[]>(
      Type.Array(requiredText(limits.nameCharacters, ''), { minItems: 1, maxItems: 100 }),
      'Labels of the channels it answers on, and the ids of built-in ones; null: all.',
    ),
    keywords: Type.Array(Keyword, { maxItems: 100, default: [], description: 'Words that lead to this campaign.' }),
    priority: whole(-1000, 1000, [0, 'Between campaigns whose keywords match alike, the higher one wins.']),
    keywordsTakeOver: flag(false, 'A keyword also moves a conversation that has another campaign.'),

    engine: Type.Unsafe<(typeof engines)[number]>({
      enum: engines,
      default: 'builtin',
      description: 'Who answers: the built-in engine, or a language model.',
    }),
    model: nullable<string>(requiredText(limits.nameCharacters, ''), 'Name of the language model at its provider.'),
    instructions: Type.String({ maxLength: 4_000, default: '', description: 'Persona and rules. Never secrets.' }),
    language: Type.String({
      pattern: '^(auto|[a-z]{2,3}(-[A-Za-z0-9]{2,8})*)$',
      default: 'auto',
      description: 'A language tag, or auto.',
    }),
    businessName: nullable<string>(requiredText(limits.nameCharacters, ''), 'What {{businessName}} in a text becomes.'),
    temperature: Type.Number({ minimum: 0, maximum: 2, default: 0.2 }),
    maxOutputTokens: whole(16, 4_000, [400, 'Of one reply of a language model.']),
    strict: flag(true, 'A language model answers only what an entry says; anything else becomes the fallback.'),
    historyMessages: whole(0, 100, [20, 'How much of the conversation a language model reads; the first limit wins.']),
    historyMaxAgeHours: whole(1, 720, [24, 'The same, by age.']),
    historyMaxChars: whole(0, 20_000, [12_000, 'The same, by length.']),

    quietSeconds: whole(0, 300, [2, 'How long the contact must be quiet before the bot answers.']),
    maxWaitSeconds: whole(0, 600, [15, 'How long it waits for that at most, if that is more.']),
    replyTimeoutSeconds: whole(1, 120, [45, 'For one answer of a language model.']),
    staleAfterSeconds: whole(10, 86_400, [900, 'Older questions are left to a person.']),

    answerThreshold: share(0.5, 'From this score on, an entry is the answer.'),
    margin: share(0.05, 'So much better than the second entry it must be.'),
    offerThreshold: share(0.35, 'From this score on, entries are offered to choose from.'),
    maxMisses: whole(1, 100, [2, 'After so many misses in a row a person is called.']),

    introduction: saying(
      'Stands before its first answer on a built-in channel, after a day, and after a person; null: nobody is told.',
      'I am the automatic assistant of {{businessName}}.',
    ),
    greetingText: saying('Answer to a greeting.'),
    thanksText: saying('Answer to thanks.'),
    fallbackText: saying('Said when nothing fits.'),
    handoverText: saying('Said when a person takes over.'),
    noCreditText: saying('Said when there were no credits to answer with.'),
    personPhrases: phrases('More ways in which people ask for a person.'),
    stopPhrases: phrases('More ways in which people ask not to be written to.'),

    maxRepliesPerConversationPerDay: whole(1, 10_000, [100, 'At this number the bot pauses there.']),
    maxRepliesPerDay: nullable<number>(
      Type.Integer({ minimum: 1 }),
      'The same for the whole campaign; null: no limit.',
    ),
    autoResumeMinutes: nullable<number>(
      Type.Integer({ minimum: 1, maximum: 525_600 }),
      'So long after the last message of a person the bot answers again; null: never.',
      1_440,
    ),
    creditsPerReply: Type.Number({
      minimum: 0,
      maximum: 1_000,
      default: 1,
      description: 'What one answer costs a sub-account.',
    }),
  },
  { additionalProperties: false },
)
export type CampaignSettings = Static<typeof CampaignSettings>

export type CampaignStatus = 'draft' | 'live' | 'paused' | 'archived'

/** A campaign as its owner writes it down; what is left out stays as it is. */
export const CampaignFile = Type.Object({
  name: Type.Optional(requiredText(limits.nameCharacters, 'What people call it.')),
  status: Type.Optional(Type.Unsafe<CampaignStatus>({ enum: ['draft', 'live', 'paused', 'archived'] })),
  isDefault: Type.Optional(Type.Boolean({ description: 'It answers what no other campaign does; one in an account.' })),
  provider: Type.Optional(
    Type.Object({
      baseUrl: Type.Optional(
        nullable<string>(
          requiredText(limits.urlCharacters, ''),
          "Where the model is; null: at its maker's own address.",
        ),
      ),
      apiKey: Type.Optional(nullable<string>(requiredText(limits.idCharacters, ''), 'Kept encrypted and never shown.')),
    }),
  ),
  connectionId: Type.Optional(
    nullable<string>(
      requiredText(limits.idCharacters, ''),
      'A connection of the app instead of a provider; null: none.',
    ),
  ),
  ...Type.Partial(CampaignSettings).properties,
})
export type CampaignFile = Static<typeof CampaignFile>
