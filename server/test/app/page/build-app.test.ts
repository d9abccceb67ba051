import assert from 'node:assert/strict'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildApp } from '../../../src/app/page/build-app.ts'

/** Builds as `web/build.ts` does, but only notes that it did, and waits a moment. */
const buildScript = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
const [, into, , id] = process.argv.slice(2)
appendFileSync(new URL('../builds.log', import.meta.url), id + '\\n')
mkdirSync(into + '/assets', { recursive: true })
await new Promise((done) => setTimeout(done, 100))
writeFileSync(into + '/index.html', id)
`

async function makeSources(script = buildScript) {
  const root = await mkdtemp(join(tmpdir(), 'patchbay-web-'))
  await mkdir(join(root, 'web/src'), { recursive: true })
  await writeFile(join(root, 'web/build.ts'), script)
  await writeFile(join(root, 'web/src/main.tsx'), 'one')
  return {
    root,
    change: (text: string) => writeFile(join(root, 'web/src/main.tsx'), text),
    built: async () => (await readFile(join(root, 'builds.log'), 'utf8').catch(() => '')).split('\n').filter(Boolean),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

const build = (root: string) => buildApp(() => {}, root)

test('a build is made once for the same sources, also by servers that start at the same moment', async () => {
  await using sources = await makeSources()
  const made = await Promise.all([build(sources.root), build(sources.root), build(sources.root)])
  assert.equal(new Set(made.map(({ id }) => id)).size, 1)
  await build(sources.root)
  assert.equal((await sources.built()).length, 1)
  assert.equal(await readFile(join(made[0].folder, 'index.html'), 'utf8'), made[0].id)
})

test('changed sources are built anew, and the two builds before stay for pages that are open', async () => {
  await using sources = await makeSources()
  const ids: string[] = []
  for (const text of ['one', 'two', 'three', 'four']) {
    await sources.change(text)
    ids.push((await build(sources.root)).id)
  }
  assert.equal(new Set(ids).size, 4)
  const { folder, older } = await build(sources.root)
  const names = [folder, ...older].map((path) => path.slice(-16))
  assert.deepEqual(names, ids.slice(1).reverse())
})

test('a build that was killed leaves nothing that could be served, and the next start makes it', async () => {
  await using sources = await makeSources()
  await mkdir(join(sources.root, 'web/dist/unfinished-1/assets'), { recursive: true })
  await appendFile(join(sources.root, 'web/dist/unfinished-1/index.html'), 'half')
  const { id, older } = await build(sources.root)
  assert.deepEqual(older, [])
  assert.deepEqual((await readdir(join(sources.root, 'web/dist'))).sort(), [id, 'lock'].sort())
})

test('a build that fails says why, puts nothing in place, and is tried again at the next start', async () => {
  await using sources = await makeSources("throw new Error('no such import')")
  await assert.rejects(build(sources.root), /no such import/)
  await writeFile(join(sources.root, 'web/build.ts'), buildScript)
  const { folder } = await build(sources.root)
  assert.deepEqual((await readdir(folder)).sort(), ['assets', 'index.html'])
})

test('where there are no sources, as in an image, the newest build is served, and without one the reason is said', async () => {
  await using sources = await makeSources()
  const { id, folder } = await build(sources.root)
  await rm(join(sources.root, 'web/src'), { recursive: true })
  assert.deepEqual(await build(sources.root), { id, folder, older: [] })
  await rm(folder, { recursive: true })
  await assert.rejects(build(sources.root), /no sources of the app, and no build in .*web\/dist/)
})
