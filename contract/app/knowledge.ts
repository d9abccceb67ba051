import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { nullableText, requiredText } from '../text.ts'
import { CampaignPath } from './campaigns.ts'
import { Cursor, CursorQuery, Done, Id, LimitQuery, oneOf, orNull, Time } from './fields.ts'
import type { AppRoute } from './route.ts'

export const EntryPath = Type.Object({ campaignId: Id, entryId: Id })

const Question = requiredText(512, 'One way in which people ask.')
const fields = {
  questions: Type.Array(Question, { minItems: 1, maxItems: 20 }),
  answer: requiredText(4_000, 'What the bot says, word for word.'),
  handsOver: Type.Boolean({ description: 'After this answer a person takes over.' }),
  isOn: Type.Boolean({ description: 'The bot may answer with it.' }),
}

export const ShownEntry = Type.Object({
  id: Type.String(),
  /** Names what the entry says; a change names the one that it was made to. */
  version: Type.String(),
  ...fields,
})
export type ShownEntry = Static<typeof ShownEntry>
export const NewEntry = Type.Object(fields)
export type NewEntry = Static<typeof NewEntry>
const Version = Type.String({ minLength: 1, maxLength: 64 })
export const EntryChange = Type.Object({ ...fields, version: Version })

export const EntryQuery = Type.Object({
  /** Words that must be in one of its texts. */
  words: Type.Optional(Type.String({ maxLength: limits.nameCharacters })),
  before: CursorQuery,
  limit: LimitQuery,
})
/** `uses`: how often it was the answer in the last 30 days, up to two minutes ago. */
export const ListedEntry = Type.Object({ ...ShownEntry.properties, uses: Type.Integer() })
export type ListedEntry = Static<typeof ListedEntry>
export const EntryPage = Type.Object({ entries: Type.Array(ListedEntry), next: Cursor, total: Type.Integer() })

const Scored = Type.Object({ entryId: Type.String(), question: Type.String(), score: Type.Number() })

export const NearQuery = Type.Object({ question: Question, entryId: Type.Optional(Id) })
/** The other entry that is nearest to a question; null: none is near. */
export const Near = Type.Object({
  near: orNull(Scored),
  /** The score of the entry itself, where one was named. */
  own: orNull(Type.Number()),
})

export const ImportFile = Type.Object({
  text: Type.String({ minLength: 1, maxLength: limits.knowledgeBytes, description: 'Content of a CSV or JSON file.' }),
})
/** Without `leavesOut`, a file with a wrong row is refused, and nothing of it is imported. */
export const ImportOrder = Type.Object({ ...ImportFile.properties, leavesOut: Type.Optional(Type.Boolean()) })
const Counts = { added: Type.Integer(), replaced: Type.Integer(), same: Type.Integer() }
export const Imported = Type.Object(Counts)
export const ImportPreview = Type.Object({
  ...Counts,
  /** The first of them. */
  entries: Type.Array(
    Type.Object({
      change: oneOf('new', 'replaces', 'same'),
      questions: Type.Array(Type.String()),
      answer: Type.String(),
      /** The answer that it replaces, if that is another one. */
      was: nullableText({}),
    }),
  ),
  /** Rows that cannot be imported, and the first of them with the reason. */
  wrongRows: Type.Integer(),
  wrong: Type.Array(Type.Object({ unit: oneOf('line', 'entry'), n: Type.Integer(), reason: Type.String() })),
})
export type ImportPreview = Static<typeof ImportPreview>

export const UnansweredGroups = Type.Object({
  asked: Type.Integer(),
  groups: Type.Array(
    Type.Object({
      id: Type.String(),
      times: Type.Integer(),
      lastAt: Time,
      /** The score of the entry that is nearest to one of them; null: not known. */
      nearest: orNull(Type.Number()),
      /** The most frequent first. */
      questions: Type.Array(Type.Object({ question: Type.String(), times: Type.Integer() })),
      /** The last who asked, and how many did. */
      askers: Type.Array(
        Type.Object({
          contactId: Type.String(),
          name: nullableText({}),
          fromId: nullableText({}),
        }),
      ),
      askedBy: Type.Integer(),
    }),
  ),
})
export type UnansweredGroup = Static<typeof UnansweredGroups>['groups'][number]

const Share = Type.Number({ minimum: 0, maximum: 1 })
export const TestQuestion = Type.Object({
  question: requiredText(4_000, 'What a contact would write.'),
  /** The messages before it, oldest first. */
  history: Type.Optional(
    Type.Array(Type.Object({ by: oneOf('contact', 'bot'), text: Type.String({ maxLength: 4_000 }) }), {
      maxItems: 20,
    }),
  ),
  /** The entries that the bot's last message offered. */
  offered: Type.Optional(Type.Array(Id, { maxItems: 3 })),
  /** Thresholds to try before they are saved. */
  trial: Type.Optional(
    Type.Object({
      answerThreshold: Type.Optional(Share),
      offerThreshold: Type.Optional(Share),
      margin: Type.Optional(Share),
    }),
  ),
})

export const TestAnswer = Type.Object({
  /** `failed`: the engine gave no answer; `reason` says why. */
  decision: oneOf('answer', 'offer', 'fallback', 'handover', 'silent', 'failed'),
  text: nullableText({}),
  reason: Type.String(),
  engine: Type.String(),
  model: nullableText({}),
  /** What it would have cost a contact's account. */
  credits: Type.Number(),
  /** The nearest entries, best first; then others that the answer is made of. */
  scores: Type.Array(Scored),
  /** The entries that the answer is made of. */
  sources: Type.Array(Type.String()),
  offered: Type.Array(Type.String()),
})
export type TestAnswer = Static<typeof TestAnswer>

/** Which of these questions the built-in engine answers now. */
export const Retry = Type.Object({ questions: Type.Array(Question, { minItems: 1, maxItems: 50 }) })
export const Retried = Type.Object({ answered: Type.Array(Type.String()) })

export const GroupPath = Type.Object({ campaignId: Id, groupId: Id })

export const knowledgeRoutes = {
  'GET /api/campaigns/:campaignId/entries': {
    guard: 'member',
    summary: 'Entries, newest first',
    params: CampaignPath,
    query: EntryQuery,
    reply: EntryPage,
  },
  'POST /api/campaigns/:campaignId/entries': {
    guard: 'member',
    summary: 'Add an entry',
    params: CampaignPath,
    body: NewEntry,
    reply: ShownEntry,
  },
  'PUT /api/campaigns/:campaignId/entries/:entryId': {
    guard: 'member',
    summary: 'Change an entry',
    params: EntryPath,
    body: EntryChange,
    reply: ShownEntry,
  },
  'DELETE /api/campaigns/:campaignId/entries/:entryId': {
    guard: 'member',
    summary: 'Delete an entry',
    params: EntryPath,
    query: Type.Object({ version: Version }),
    reply: Done,
  },
  'GET /api/campaigns/:campaignId/near': {
    guard: 'member',
    summary: 'The entry that is nearest to a question',
    params: CampaignPath,
    query: NearQuery,
    reply: Near,
    waits: true,
  },
  'POST /api/campaigns/:campaignId/import/preview': {
    guard: 'member',
    summary: 'What an import would change',
    params: CampaignPath,
    body: ImportFile,
    reply: ImportPreview,
    bodyBytes: limits.knowledgeBytes,
  },
  'POST /api/campaigns/:campaignId/import': {
    guard: 'member',
    summary: 'Import entries',
    params: CampaignPath,
    body: ImportOrder,
    reply: Imported,
    bodyBytes: limits.knowledgeBytes,
  },
  'GET /api/campaigns/:campaignId/export': {
    guard: 'member',
    summary: 'All entries as a file that can be imported',
    params: CampaignPath,
    query: Type.Object({ format: oneOf('csv', 'json') }),
    raw: true,
  },
  'GET /api/campaigns/:campaignId/unanswered': {
    guard: 'member',
    summary: 'Unanswered questions in groups of the same meaning',
    params: CampaignPath,
    reply: UnansweredGroups,
  },
  'DELETE /api/campaigns/:campaignId/unanswered/:groupId': {
    guard: 'member',
    summary: 'Dismiss a group of unanswered questions',
    params: GroupPath,
    reply: Done,
  },
  'POST /api/campaigns/:campaignId/ask': {
    guard: 'member',
    summary: 'Ask the bot; nothing is kept or charged',
    params: CampaignPath,
    body: TestQuestion,
    reply: TestAnswer,
    waits: true,
  },
  'POST /api/campaigns/:campaignId/retry': {
    guard: 'member',
    summary: 'Try unanswered questions again; those that are answered now are no longer listed',
    params: CampaignPath,
    body: Retry,
    reply: Retried,
    waits: true,
  },
} as const satisfies Record<string, AppRoute>
