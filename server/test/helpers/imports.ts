import assert from 'node:assert/strict'
import type { ImportError, ShownImport } from '@patchbay/contract/app/imports.ts'
import { sql } from 'kysely'
import { claimImport, type DueImport } from '../../src/people/imports/due-store.ts'
import { workOnImport } from '../../src/people/imports/work-on-import.ts'
import type { Db } from '../../src/platform/database/db.ts'
import { type AccountId, newId } from '../../src/platform/ids.ts'
import { secretKey, type TestApp } from './harness.ts'
import type { SignedIn } from './sessions.ts'
import { until } from './until.ts'

type Browser = Pick<SignedIn, 'call'>

async function ask(browser: Browser, method: string, path: string, body?: unknown): Promise<ShownImport> {
  const answer = await browser.call(method, path, body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

/** Sends a file in parts, as the app does, and says that it is complete. */
export async function upload(browser: Browser, text: string, partCharacters = 50_000): Promise<string> {
  const { id } = await ask(browser, 'POST', '/api/imports', { fileName: 'people.csv', encoding: 'UTF-8' })
  let parts = 0
  for (let from = 0; from < text.length; from += partCharacters, parts += 1) {
    await ask(browser, 'PUT', `/api/imports/${id}/parts/${parts}`, { part: text.slice(from, from + partCharacters) })
  }
  await ask(browser, 'POST', `/api/imports/${id}/read`, { parts })
  return id
}

/** The import once it is in one of these states. */
export async function untilImport(
  browser: Browser,
  id: string,
  ...states: ShownImport['state'][]
): Promise<ShownImport> {
  let last: ShownImport | undefined
  await until(
    async () => {
      last = await ask(browser, 'GET', `/api/imports/${id}`)
      return states.includes(last.state)
    },
    `the import is not ${states.join(' or ')}`,
  )
  assert.ok(last)
  return last
}

type Choice = { listId?: string; overwrites?: boolean; mapping?: string[]; country?: string }

export async function start(browser: Browser, id: string, choice: Choice = {}): Promise<void> {
  const { mapping } = await ask(browser, 'GET', `/api/imports/${id}`)
  const body = { mapping, listId: null, overwrites: false, ...choice }
  await ask(browser, 'POST', `/api/imports/${id}/start`, body)
}

/** Uploads a file, takes the suggested mapping, and waits until all is imported. */
export async function importFile(browser: Browser, text: string, choice: Choice = {}): Promise<ShownImport> {
  const id = await upload(browser, text)
  const { state, refusal } = await untilImport(browser, id, 'ready', 'refused')
  assert.equal(state, 'ready', String(refusal))
  await start(browser, id, choice)
  return untilImport(browser, id, 'finished')
}

/** What became of the rows. */
export function countsOf({ rows, done, added, changed, same, failed }: ShownImport) {
  return { rows, done, added, changed, same, failed }
}

export async function readErrors(browser: Browser, id: string): Promise<ImportError[]> {
  const { status, body } = await browser.call('GET', `/api/imports/${id}/errors`)
  assert.equal(status, 200)
  return body.errors
}

/** One turn of a worker, by itself of one piece of a file or one block of rows. */
export async function takeTurn({ db }: TestApp, forMs = 0): Promise<DueImport | undefined> {
  const [job] = await claimImport(db, `turn ${Math.random()}`)
  const ctx = { db, secretKey, hint: () => {}, pause: async () => {}, stopping: new AbortController().signal }
  if (job) await workOnImport(ctx, job, forMs)
  return job
}

/** A file of so many people; `bad` replaces the line of some. */
export function makePeople(count: number, bad: ReadonlyMap<number, string> = new Map()): string {
  const line = (n: number) => bad.get(n) ?? `First${n},Last${n},${phoneOf(n)},p${n}@example.com,ext-${n}`
  return ['given_name,surname,mobile,mail,external id', ...Array.from({ length: count }, (_, n) => line(n)), ''].join(
    '\n',
  )
}

export const phoneOf = (n: number) => `+44 7700 ${String(100_000 + n)}`

/** An import that can be started, with a row that was not imported. */
export async function makeImport(db: Db, accountId: AccountId, mark: string): Promise<string> {
  const id = newId('imp')
  await sql`
    insert into imports (account_id, id, state, file_name, encoding, parts, headers, rows, mapping)
    values (${accountId}, ${id}, 'ready', ${`${mark}.csv`}, 'UTF-8', 1, '["phone"]', 1, '["email"]')
  `.execute(db)
  await sql`
    insert into import_errors (account_id, import_id, n, line, field, reason, cells, keys)
    values (${accountId}, ${id}, 0, 2, 'phone', 'Wrong.', ${JSON.stringify([mark])}, array[${mark}])
  `.execute(db)
  return id
}
