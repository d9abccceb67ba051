import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { startProcesses } from '../../../src/platform/processes/process-group.ts'

/** A program in a folder of its own, which notes each of its starts there. */
async function makeProgram(started: AsyncDisposableStack, text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-program-'))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const program = join(folder, 'program.mjs')
  const note = `import { appendFileSync, readFileSync } from 'node:fs'
    appendFileSync(${JSON.stringify(join(folder, 'starts'))}, '.')
    const starts = readFileSync(${JSON.stringify(join(folder, 'starts'))}, 'utf8').length
    process.on('message', ({ subject }) => subject === 'stop' && process.exit(0))\n`
  await writeFile(program, note + text)
  const options = { program, log: pino({ level: 'silent' }), meet: () => {}, onChange: () => {} }
  return { options, starts: async () => (await readFile(join(folder, 'starts'), 'utf8')).length }
}

test('when a process cannot start, the start of all fails with its reason, and the others are stopped', async () => {
  await using started = new AsyncDisposableStack()
  const { options } = await makeProgram(
    started,
    `if (starts === 2) process.send({ subject: 'cannot start', value: 'The disk is full.' }, () => process.exit(1))
     else process.send({ subject: 'ready' })`,
  )
  await assert.rejects(startProcesses({ ...options, count: 2 }), {
    name: 'OperatorError',
    message: 'The disk is full.',
  })
})

test('when none can be started any more, it gives up after a few tries, with the reason', async () => {
  await using started = new AsyncDisposableStack()
  const { options, starts } = await makeProgram(
    started,
    `if (starts > 1) process.send({ subject: 'cannot start', value: 'The disk is full.' }, () => process.exit(1))
     else process.send({ subject: 'ready' }, () => setTimeout(() => process.exit(3), 100))`,
  )
  const group = await startProcesses({ ...options, count: 1 })
  assert.equal(group.members().length, 1)
  assert.equal((await group.failed).message, 'The disk is full.')
  assert.equal(await starts(), 6)
  assert.deepEqual(group.members(), [])
  await group.stop()
})
