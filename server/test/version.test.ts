import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { version } from '../src/platform/version.ts'
import { commandsWith, readDocument } from './helpers/commands.ts'

const root = resolve(import.meta.dirname, '../..')
const readJson = async (file: string) => JSON.parse(await readFile(join(root, file), 'utf8'))

test('the version is that of the root package.json, no other package names one, and the lock file and the API documents agree', async () => {
  const { version: named, workspaces } = await readJson('package.json')
  assert.equal(version, named)
  assert.match(version, /^\d+\.\d+\.\d+$/)
  for await (const file of glob(`{${workspaces.join(',')}}/package.json`, { cwd: root })) {
    assert.equal((await readJson(file)).version, undefined, file)
  }
  const lock = await readJson('package-lock.json')
  assert.deepEqual([lock.version, lock.packages[''].version], [version, version], 'npm version sets both')
  for (const file of ['docs/openapi.json', 'docs/app-openapi.json']) {
    assert.equal((await readJson(file)).info.version, version, `${file}; run: npm run generate`)
  }
})

test('the changelog is by version, the newest first, and begins with this one', async () => {
  const text = await readFile(join(root, 'CHANGELOG.md'), 'utf8')
  const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading)
  for (const heading of headings) {
    assert.match(heading, /^\d+\.\d+\.\d+( \((unreleased|\d{4}-\d\d-\d\d)\))?$/)
  }
  const versions = headings.map((heading) => heading.split(' ')[0] ?? '')
  assert.equal(versions[0], version)
  const byNumber = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true })
  assert.deepEqual(versions, versions.toSorted(byNumber).reverse())
  const unreleased = headings.slice(1).filter((heading) => heading.includes('unreleased'))
  assert.deepEqual(unreleased, [], 'only the newest may still change')
})

test('--version prints the version, and help names it', async () => {
  const commands = commandsWith({})
  for (const word of ['--version', '-v', 'version']) {
    assert.deepEqual(await commands.run(word), { code: 0, stdout: `patchbay ${version}\n`, stderr: '' })
    assert.deepEqual(readDocument(await commands.run(word, '--json')), { version })
  }
  assert.match((await commands.run('help')).stdout, /--version/)
})
