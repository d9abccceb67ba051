import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { holdTurnsBack } from '../../../server/test/helpers/bots.ts'
import { makeSubaccount } from '../../../server/test/helpers/credits.ts'
import type { TestAccount, TestApp } from '../../../server/test/helpers/harness.ts'
import { addMember } from '../../../server/test/helpers/sessions.ts'
import { fillAgency, fillTenant, type Names } from '../../../server/test/helpers/tenants.ts'
import { type Site, startSite } from '../helpers/site.ts'

type FilledSite = Site & { names: Names; paths: string[] }

let site: Promise<FilledSite> | undefined
after(async () => await (await site)?.[Symbol.asyncDispose]())

/**
 * An agency with one of everything, and the address of every screen on which that is shown. One for all tests of the process:
 * they look, and change nothing.
 */
export function openFilledSite(): Promise<FilledSite> {
  site ??= startFilledSite()
  return site
}

async function startFilledSite(): Promise<FilledSite> {
  const { app } = await startSite()
  const account = await app.makeAccount({ kind: 'agency' })
  await holdTurnsBack(app)
  const own = await fillTenant(app, account, 'Wren')
  const { names: ofSub } = await fillAgency(app, account, 'Wren')
  await nameSubaccount(app, account, 'The Old Harbour Hostel and Coffee House of Northern Wrenford')
  await addMember(app, account.accountId, 'mia@example.com')
  const names = { ...own, ...ofSub }
  const paths = [...(await readPaths()), ...furtherStates].map((path) => fillIn(path, names))
  return { app, account, names, paths, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

/** A second one, whose name is long and who asks for no credits. */
async function nameSubaccount({ db }: TestApp, agency: TestAccount, name: string): Promise<void> {
  const { accountId } = await makeSubaccount(db, agency.accountId)
  await db.updateTable('accounts').set({ name }).where('id', '=', accountId).execute()
}

/** What the address of a screen says beyond its path. */
const furtherStates = [
  '/broadcasts?to=',
  '/channels/new?kind=telegram',
  '/channels/new?channel=$channelId',
  '/first-run?lane=built-in',
  '/campaigns/$campaignId?tab=unanswered',
  '/campaigns/$campaignId?tab=settings',
  '/campaigns/$campaignId?tab=texts',
  '/agency?id=$subaccountId',
]

function fillIn(path: string, names: Names): string {
  return path.replace(/\$(\w+)Id/, (_, kind: string) => {
    assert.ok(kind in names, `the test knows no ${kind}`)
    return names[kind as keyof Names]
  })
}

/** The paths that the router knows, so that a new screen is among them; not those before signing in, and the way home. */
async function readPaths(): Promise<string[]> {
  const source = await readFile(new URL('../../src/router.tsx', import.meta.url), 'utf8')
  const found = source.matchAll(/getParentRoute: \(\) => (\w+),\s+path: '\/?([^']*)'|screen\(\s*'([^']+)'/g)
  const paths = found.map(([, parent, route, screen]) => screen ?? `/${parent === 'shell' ? '' : `${parent}/`}${route}`)
  const shown = [...paths].filter((path) => path !== '/' && !path.startsWith('/root/'))
  assert.ok(shown.length > 25, `the router has ${shown.length} paths`)
  return shown
}

/** Returns a wait until nothing is fetched any more and what came is drawn. The live stream never ends. */
export function watchRequests(page: Page): () => Promise<void> {
  const running = new Set<unknown>()
  page.on('request', (request) => request.resourceType() !== 'eventsource' && running.add(request))
  page.on('requestfinished', (request) => running.delete(request))
  page.on('requestfailed', (request) => running.delete(request))
  const drawn = () =>
    page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  return async () => {
    do await drawn()
    while (running.size > 0)
    await drawn()
  }
}
