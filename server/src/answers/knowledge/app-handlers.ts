import { Readable } from 'node:stream'
import type { ShownEntry } from '@patchbay/contract/app/knowledge.ts'
import type { Handlers } from '../../business/sessions/handlers.ts'
import type { Db } from '../../platform/database/db.ts'
import { type AccountId, isId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { requireCampaign } from '../campaigns/settings.ts'
import type { CampaignRow } from '../campaigns/store.ts'
import { listNewestEntries, type ShownEntry as StoredEntry } from './entries/entry-store.ts'
import { importKnowledge, mostShown, previewImport } from './entries/import.ts'
import { checkRows, readKnowledgeRows, refuseRow } from './entries/read-knowledge-file.ts'
import { addEntry, changeEntry, deleteEntry, versionOf } from './entries/save-entry.ts'
import { type CampaignRef, countEntries } from './entries/store.ts'
import { writeKnowledgeFile } from './entries/write-knowledge-file.ts'
import { dismissGroup, listUnanswered } from './unanswered/unanswered.ts'

type Routes = Extract<
  keyof Handlers,
  `${string} /api/campaigns/:campaignId/${'entries' | 'import' | 'export' | 'unanswered'}${string}`
>

const pageSize = 50

export function knowledgeHandlers(db: Db): Pick<Handlers, Routes> {
  return { ...entryHandlers(db), ...fileHandlers(db), ...unansweredHandlers(db) }
}

type HandlersOf<Segment extends string> = Pick<Handlers, Extract<Routes, `${string}/:campaignId/${Segment}${string}`>>

function entryHandlers(db: Db): HandlersOf<'entries'> {
  return {
    'GET /api/campaigns/:campaignId/entries': async ({ session, params, query }) => {
      const campaign = await refOf(db, session, params)
      const limit = Number(query.limit ?? pageSize)
      const words = query.words?.replaceAll('\0', '').trim() || null // PostgreSQL takes no NUL
      if (query.before !== undefined && !isId('ent', query.before)) {
        throw new Refusal('INVALID_REQUEST', 'before must be the next of a page.')
      }
      const entries = await listNewestEntries(db, campaign, { before: query.before ?? null, words, limit })
      const next = entries.length === limit ? (entries.at(-1)?.entryId ?? null) : null
      return {
        entries: entries.map((entry) => ({ ...shown(entry), uses: entry.uses })),
        next,
        total: await countEntries(db, campaign),
      }
    },
    'POST /api/campaigns/:campaignId/entries': async ({ session, params, body }) =>
      shown(await addEntry(db, await refOf(db, session, params), body)),
    'PUT /api/campaigns/:campaignId/entries/:entryId': async ({ session, params, body }) =>
      shown(await changeEntry(db, await refOf(db, session, params), params.entryId, body)),
    'DELETE /api/campaigns/:campaignId/entries/:entryId': async ({ session, params, query }) => {
      await deleteEntry(db, await refOf(db, session, params), params.entryId, query.version)
      return { done: true }
    },
  }
}

function fileHandlers(db: Db): HandlersOf<'import' | 'export'> {
  return {
    'POST /api/campaigns/:campaignId/import/preview': async ({ session, params, body }) => {
      const campaign = await refOf(db, session, params)
      const { entries, wrong } = await checkRows(readKnowledgeRows(body.text))
      const changes = await previewImport(db, campaign, entries)
      return { ...changes, wrongRows: wrong.length, wrong: wrong.slice(0, mostShown) }
    },
    'POST /api/campaigns/:campaignId/import': async ({ session, params, body }) => {
      const campaign = await refOf(db, session, params)
      const { entries, wrong } = await checkRows(readKnowledgeRows(body.text))
      if (wrong[0] && !body.leavesOut) throw refuseRow(wrong[0])
      const { same } = await previewImport(db, campaign, entries)
      const { added, replaced } = await importKnowledge(db, campaign, entries)
      return { added, replaced: Math.max(0, replaced - same), same }
    },
    'GET /api/campaigns/:campaignId/export': async ({ session, params, query: { format }, http, reply }) => {
      const campaign = await requireCampaign(db, session.accountId, params.campaignId)
      reply.headers({
        'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
        'content-disposition': `attachment; filename="${fileName(campaign, format)}"`,
        'x-content-type-options': 'nosniff',
      })
      const ref = { accountId: campaign.accountId, campaignId: campaign.id }
      return reply.send(http.method === 'HEAD' ? '' : Readable.from(writeKnowledgeFile(db, ref, format)))
    },
  }
}

function unansweredHandlers(db: Db): HandlersOf<'unanswered'> {
  return {
    'GET /api/campaigns/:campaignId/unanswered': async ({ session, params }) => {
      const groups = await listUnanswered(db, await refOf(db, session, params))
      const asked = groups.reduce((sum, { times }) => sum + times, 0)
      return { asked, groups: groups.map(({ groupId, ...group }) => ({ id: groupId, ...group })) }
    },
    'DELETE /api/campaigns/:campaignId/unanswered/:groupId': async ({ session, params }) => {
      await dismissGroup(db, await refOf(db, session, params), params.groupId)
      return { done: true }
    },
  }
}

async function refOf(
  db: Db,
  { accountId }: { accountId: AccountId },
  { campaignId }: { campaignId: string },
): Promise<CampaignRef> {
  const { id } = await requireCampaign(db, accountId, campaignId)
  return { accountId, campaignId: id }
}

function shown({ entryId, questions, answer, handsOver, isOn }: StoredEntry): ShownEntry {
  const fields = { questions, answer, handsOver, isOn }
  return { id: entryId, version: versionOf(fields), ...fields }
}

/** Letters and digits of its name only: it stands in a header. */
function fileName({ name }: CampaignRow, format: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return `${plain.toLowerCase() || 'campaign'}-knowledge.${format}`
}
