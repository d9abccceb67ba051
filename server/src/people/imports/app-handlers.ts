import type { ShownImport } from '@patchbay/contract/app/imports.ts'
import { given } from '@patchbay/contract/text.ts'
import type { Handlers, Sendable } from '../../business/sessions/handlers.ts'
import type { Db } from '../../platform/database/db.ts'
import type { FairShare } from '../../platform/database/fair-share.ts'
import { sendCsv } from '../../platform/http/send-csv.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { notifyWorkers } from '../../platform/notify/notify.ts'
import { chooseMapping, discardImport, startImport, stopImport } from './choose.ts'
import { errorsCsv, listErrors, mendRow } from './errors.ts'
import { type ImportRow, listImports } from './store.ts'
import { beginImport, keepPart, readUpload, requireImport, showImport } from './upload.ts'

type Ctx = Readonly<{ db: Db; share: FairShare; secretKey: Buffer; hint: Hint }>
type Routes = Extract<keyof Handlers, `${string} /api/imports${string}`>

/** How many a screen can show. */
const mostListed = 10

export function importHandlers({ db, share, secretKey, hint }: Ctx): Pick<Handlers, Routes> {
  return {
    'GET /api/imports': async ({ session }) => ({
      imports: (await listImports(db, session.accountId, mostListed)).map(shown),
    }),
    'POST /api/imports': async ({ session, body }) => shown(await beginImport(db, session.accountId, body)),
    'PUT /api/imports/:importId/parts/:part': async ({ session, params, body }) => {
      const part = { n: Number(params.part), text: body.part }
      await keepPart(db, requireImport(session.accountId, params.importId), part)
      return { done: true }
    },
    'POST /api/imports/:importId/read': async ({ session, params, body }) =>
      atWork(await readUpload(db, requireImport(session.accountId, params.importId), body.parts)),
    'PUT /api/imports/:importId/mapping': async ({ session, params, body }) =>
      atWork(await chooseMapping(db, requireImport(session.accountId, params.importId), body)),
    'POST /api/imports/:importId/start': async ({ session, params, body, by }) =>
      atWork(
        await startImport(db, requireImport(session.accountId, params.importId), {
          ...body,
          newList: given(body.newList),
          by,
        }),
      ),
    'GET /api/imports/:importId': async ({ session, params }) =>
      shown(await showImport(db, requireImport(session.accountId, params.importId))),
    'POST /api/imports/:importId/stop': async ({ session, params }) =>
      shown(await stopImport(db, requireImport(session.accountId, params.importId))),
    'DELETE /api/imports/:importId': async ({ session, params }) => {
      await discardImport(db, requireImport(session.accountId, params.importId))
      return { done: true }
    },
    'GET /api/imports/:importId/errors': async ({ session, params, query: { after } }) => {
      const ref = requireImport(session.accountId, params.importId)
      const job = await showImport(db, ref)
      return listErrors(db, { ...ref, job }, after === undefined ? undefined : Number(after))
    },
    'POST /api/imports/:importId/errors/:row': async ({ session, params, body }) => {
      const ref = requireImport(session.accountId, params.importId)
      const error = await mendRow(db, { ...ref, secretKey, n: Number(params.row), value: body.value })
      for (const topic of ['contacts', 'lists'] as const) hint(session.accountId, topic)
      return { error }
    },
    'GET /api/imports/:importId/errors/csv': async ({ session, params, http, reply }) => {
      const ref = requireImport(session.accountId, params.importId)
      const job = await share(session.accountId, () => showImport(db, ref))
      return sendCsv({ http, reply, fileName: 'not-imported.csv' }, errorsCsv({ db, share }, { ...ref, job }))
    },
  }

  /** A worker goes on with it at once. */
  async function atWork(job: ImportRow): Promise<Sendable<ShownImport>> {
    await notifyWorkers(db, 'imports')
    return shown(job)
  }
}

const delimiterNames = { ',': 'comma', ';': 'semicolon', '\t': 'tab' } as const

function shown({ parts: _, bytes: __, delimiter, ...job }: ImportRow): Sendable<ShownImport> {
  const name = delimiter === null ? null : (delimiterNames[delimiter as keyof typeof delimiterNames] ?? null)
  return { ...job, delimiter: name }
}
