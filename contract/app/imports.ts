import type { Static } from 'typebox'
import { importEncodings, importFields, importStates } from '../import-fields.ts'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { optionalText, requiredText } from '../text.ts'
import { Cursor, Done, Id, oneOf, orNull, Time } from './fields.ts'
import type { AppRoute } from './route.ts'

const Field = oneOf(...importFields)
/** Absent: as it is. */
const Country = Type.Optional(orNull(Type.String({ pattern: '^[A-Z]{2}$' })))
const Mapping = Type.Array(Field, { maxItems: limits.importColumns })

export const ShownImport = Type.Object({
  id: Type.String(),
  state: oneOf(...importStates),
  fileName: Type.String(),
  encoding: oneOf(...importEncodings),
  createdAt: Time,
  startedAt: orNull(Time),
  endedAt: orNull(Time),
  /** Of a file that cannot be read: why, in a sentence. */
  refusal: orNull(Type.String()),
  delimiter: orNull(oneOf('comma', 'semicolon', 'tab')),
  rows: Type.Integer(),
  headers: Type.Array(Type.String()),
  firstRows: Type.Array(Type.Array(Type.String())),
  /** What each column becomes; the server suggests it. */
  mapping: Mapping,
  /** How many rows were looked at under this mapping; of these, how many have an error, and are of known contacts. */
  checked: Type.Integer(),
  wrong: Type.Integer(),
  known: Type.Integer(),
  /** Where phone numbers without a country code are from; two letters, such as GB. */
  country: orNull(Type.String()),
  listId: orNull(Type.String()),
  overwrites: Type.Boolean(),
  /** How many rows are done; the others add up to it, with `forgotten`: rows of people who were erased meanwhile. */
  done: Type.Integer(),
  added: Type.Integer(),
  changed: Type.Integer(),
  same: Type.Integer(),
  failed: Type.Integer(),
  forgotten: Type.Integer(),
})
export type ShownImport = Static<typeof ShownImport>

export const ImportError = Type.Object({
  /** Number of the row, which names it. */
  n: Type.Integer(),
  line: Type.Integer(),
  /** Whom it is about, as far as the row says. */
  name: orNull(Type.String()),
  /** What is wrong with which field; null: with the row as a whole, which only the file can mend. */
  field: orNull(Field),
  value: Type.String(),
  reason: Type.String(),
})
export type ImportError = Static<typeof ImportError>

const ImportPath = Type.Object({ importId: Id })
const number = Type.String({ pattern: '^(0|[1-9][0-9]{0,5})$' })

const unfinished = {
  'GET /api/imports': {
    guard: 'manager',
    summary: 'Imports of contacts, those of the last days, newest first',
    reply: Type.Object({ imports: Type.Array(ShownImport) }),
  },
  'POST /api/imports': {
    guard: 'manager',
    summary: 'Begin an import of contacts; its file follows in parts',
    body: Type.Object({ fileName: requiredText(limits.nameCharacters, ''), encoding: oneOf(...importEncodings) }),
    reply: ShownImport,
  },
  'PUT /api/imports/:importId/parts/:part': {
    guard: 'manager',
    summary: 'The next part of the file, from 0 on; one that is there already may be sent again',
    params: Type.Object({ importId: Id, part: number }),
    body: Type.Object({ part: Type.String({ minLength: 1, maxLength: limits.importPartCharacters }) }),
    bodyBytes: limits.importPartBytes,
    reply: Done,
  },
  'POST /api/imports/:importId/read': {
    guard: 'manager',
    summary: 'All parts were sent: read the file',
    params: ImportPath,
    body: Type.Object({ parts: Type.Integer({ minimum: 1, maximum: 10_000 }) }),
    reply: ShownImport,
  },
  'PUT /api/imports/:importId/mapping': {
    guard: 'manager',
    summary: 'Choose what each column becomes; the rows are checked anew',
    params: ImportPath,
    body: Type.Object({ mapping: Mapping, country: Country }),
    reply: ShownImport,
  },
  'POST /api/imports/:importId/start': {
    guard: 'manager',
    summary: 'Import the rows',
    params: ImportPath,
    body: Type.Object({
      mapping: Mapping,
      country: Country,
      listId: orNull(Id),
      /** Instead of a list that is there: the name of a new one. */
      newList: optionalText(limits.nameCharacters, ''),
      overwrites: Type.Boolean(),
    }),
    reply: ShownImport,
  },
} as const satisfies Record<string, AppRoute>

export const importRoutes = {
  ...unfinished,
  'GET /api/imports/:importId': { guard: 'manager', summary: 'One import', params: ImportPath, reply: ShownImport },
  'POST /api/imports/:importId/stop': {
    guard: 'manager',
    summary: 'Stop an import; what is in stays in',
    params: ImportPath,
    reply: ShownImport,
  },
  'DELETE /api/imports/:importId': {
    guard: 'manager',
    summary: 'Discard an import that was not started',
    params: ImportPath,
    reply: Done,
  },
  'GET /api/imports/:importId/errors': {
    guard: 'manager',
    summary: 'Rows that were not imported',
    params: ImportPath,
    query: Type.Object({ after: Type.Optional(number) }),
    reply: Type.Object({ errors: Type.Array(ImportError), next: Cursor }),
  },
  'POST /api/imports/:importId/errors/:row': {
    guard: 'manager',
    summary: 'Import such a row with a mended value; it says what is still wrong',
    params: Type.Object({ importId: Id, row: number }),
    body: Type.Object({ value: Type.String({ maxLength: limits.idCharacters }) }),
    reply: Type.Object({ error: orNull(ImportError) }),
  },
  'GET /api/imports/:importId/errors/csv': {
    guard: 'manager',
    summary: 'The same as a CSV file: the columns of the file, the line and the reason',
    params: ImportPath,
    raw: true,
  },
} as const satisfies Record<string, AppRoute>
