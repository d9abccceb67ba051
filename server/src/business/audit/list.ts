import { type AuditEvent, type AuditGroup, auditGroups } from '@patchbay/contract/app/audit.ts'
import type { Db } from '../../platform/database/db.ts'
import { type AccountId, isId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { csvLine, csvStart } from '../../platform/text/csv.ts'
import { type AuditRow, readAudit } from './store.ts'

type Filter = { group?: AuditGroup; q?: string }
type ShownEvent = Omit<AuditEvent, 'at'> & { at: Date }

export async function listAudit(
  db: Db,
  accountId: AccountId,
  query: Filter & { before?: string; limit?: string },
): Promise<{ events: ShownEvent[]; next: string | null }> {
  const { before } = query
  if (before !== undefined && !isId('aud', before)) {
    throw new Refusal('INVALID_REQUEST', 'before must be the next of a page.')
  }
  const limit = Number(query.limit ?? 50)
  const rows = await readAudit(db, accountId, { ...wantedOf(query), before, limit: limit + 1 })
  const next = rows.length > limit ? (rows[limit - 1]?.id ?? null) : null
  return { events: rows.slice(0, limit).map(shown), next }
}

const pageOfFile = 1_000

/** The whole audit as a CSV file, piece by piece. */
export async function* auditCsv(db: Db, accountId: AccountId, query: Filter): AsyncGenerator<string> {
  yield csvStart + csvLine(['When', 'Act', 'By', 'Name', 'Details', 'From'])
  for (let before: AuditRow['id'] | undefined; ; ) {
    const rows = await readAudit(db, accountId, { ...wantedOf(query), before, limit: pageOfFile })
    yield rows.map(lineOf).join('')
    before = rows.at(-1)?.id
    if (rows.length < pageOfFile) return
  }
}

function wantedOf({ group, q }: Filter) {
  // PostgreSQL takes no NUL, and no stored text has one.
  const text = q?.replaceAll('\0', '').trim().toLowerCase() || undefined
  return { acts: group && [...auditGroups[group]], q: text }
}

function shown({ actorKind, actorName, ...row }: AuditRow): ShownEvent {
  return { ...row, actor: { kind: actorKind, name: actorName } }
}

function lineOf({ at, act, actorKind, actorName, details, address }: AuditRow): string {
  const facts = Object.entries(details).map(([name, value]) => `${name}: ${value}`)
  return csvLine([at, act, actorKind, actorName, facts.join('; '), address])
}
