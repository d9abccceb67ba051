import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'

async function makeProgram(options: string) {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-log-'))
  const path = join(folder, 'program.mjs')
  await writeFile(
    path,
    `
      import { openLog, logRequest } from ${JSON.stringify(import.meta.resolve('../../../src/platform/log.ts'))}
      const { log, flush } = openLog(${options})
      const request = { reqId: 'r1', method: 'GET', route: '/v1/contacts', ms: 1 }
      process.stderr.write('\\r  building the app … 3 s')
      log.info({ from: 0, to: 55 }, 'the schema was migrated')
      logRequest(log, { ...request, status: 200 })
      logRequest(log, { ...request, status: 401 })
      log.warn({ reason: 'a "name"\\x1b[2J' }, 'waiting to start')
      log.error({ err: new Error('broken') }, 'unexpected error')
      const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
      const full = Object.assign(new Error('no slot\x1b[2J', { cause: refused }), { code: '53300' })
      log.error({ err: new Error('not sent', { cause: full }) }, 'unexpected error')
      flush()
      process.stdout.write('\\n  Patchbay is ready\\n')
    `,
  )
  return { folder, path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

/** Runs it on a real terminal, and returns what that was sent. */
function onTerminal(path: string): string {
  const command = `${process.execPath} ${path}`
  const { stdout, status } = spawnSync('script', ['-qec', command, '/dev/null'], { encoding: 'utf8' })
  assert.equal(status, 0, stdout)
  return stdout
}

test('on a terminal the log is lines for people, in order with what is printed, and no line is left of the progress', async () => {
  await using program = await makeProgram(`'info'`)
  const sent = onTerminal(program.path)
  assert.ok(sent.includes('building the app … 3 s\r\x1b[K'), 'the line that shows progress is cleared first')
  // What is left on each line after the cursor went back to its beginning.
  const lines = stripVTControlCharacters(sent)
    .split('\n')
    .map((line) => line.trimEnd().split('\r').at(-1) ?? '')
  const shown = lines.join('\n')
  const at = '\\d\\d:\\d\\d:\\d\\d'
  assert.match(lines[0] ?? '', new RegExp(`^${at}  the schema was migrated  from=0 to=55$`))
  assert.match(lines[1] ?? '', new RegExp(`^${at}  request  reqId=r1 method=GET route=/v1/contacts status=401 ms=1$`))
  assert.match(lines[2] ?? '', new RegExp(`^${at}  warning  waiting to start  reason="a \\\\"name\\\\"�\\[2J"$`))
  assert.match(lines[3] ?? '', new RegExp(`^${at}  error  unexpected error: broken$`))
  assert.match(lines[4] ?? '', /^ +at /)
  assert.match(
    shown,
    /unexpected error: "not sent"; because of "no slot�\[2J" \(53300\); because of "connect ECONNREFUSED"\n/,
  )
  assert.match(shown, /\n\n {2}Patchbay is ready\n$/, 'what the command prints stands last')
  assert.ok(!sent.includes('\x1b[2J'), 'what a stranger sent does not clear the screen')
})

test('LOG_FORMAT decides over the terminal: JSON there, text elsewhere, and every request with LOG_LEVEL=debug', async () => {
  await using asJson = await makeProgram(`'info', { format: 'json' }`)
  assert.match(onTerminal(asJson.path), /\{"level":30,"time":\d+,"from":0,"to":55,"msg":"the schema was migrated"\}/)
  await using asText = await makeProgram(`'debug', { format: 'text' }`)
  const { stderr } = spawnSync(process.execPath, [asText.path], { encoding: 'utf8' })
  assert.ok(!stderr.includes('\x1b'), 'no colours in a file')
  assert.match(stderr, /\n\d\d:\d\d:\d\d {2}request {2}reqId=r1 .* status=200 ms=1\n/)
  await using plain = await makeProgram(`'info'`)
  const piped = spawnSync(process.execPath, [plain.path], { encoding: 'utf8' })
  assert.match(piped.stderr, /"status":200,/, 'JSON has every request')
})

test('a log file that is copied and emptied is written from its beginning again, also without ">>"', async () => {
  await using folder = await makeProgram(`'info'`)
  const file = join(folder.folder, 'server.log')
  const rotating = join(folder.folder, 'rotating.mjs')
  await writeFile(
    rotating,
    `
      import { truncateSync } from 'node:fs'
      import { openLog } from ${JSON.stringify(import.meta.resolve('../../../src/platform/log.ts'))}
      const { log, flush } = openLog('info')
      log.info('before'); flush()
      truncateSync(${JSON.stringify(file)})
      log.info('after'); flush()
    `,
  )
  spawnSync('sh', ['-c', '"$0" "$1" 2> "$2"', process.execPath, rotating, file])
  assert.match(await readFile(file, 'utf8'), /^\{"level":30,"time":\d+,"msg":"after"\}\n$/)
})
