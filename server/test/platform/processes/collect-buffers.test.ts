import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { collectBuffers, openBufferCollector } from '../../../src/platform/processes/collect-buffers.ts'

const mebibyte = 2 ** 20

test('buffers are collected once when the process is idle and they take much more than before, and never while it works', () => {
  let [bytes, collected] = [2 * mebibyte, 0]
  const collect = () => {
    collected += 1
    bytes = 40 * mebibyte // what is in use
  }
  const look = openBufferCollector(collect, () => bytes)
  look(0)
  bytes = 60 * mebibyte
  for (const busy of [0.9, 0.06]) look(busy)
  assert.equal(collected, 0, 'it works')
  for (const idle of [0.05, 0, 0]) look(idle)
  assert.equal(collected, 1, 'what is left is in use')
  bytes = 50 * mebibyte
  look(0)
  assert.equal(collected, 1, 'little more')
  bytes = 3 * mebibyte
  look(0)
  bytes = 20 * mebibyte
  look(0)
  assert.equal(collected, 2, 'much more than the least')
})

test('buffers of a flood that came before the process was ever idle are collected too', () => {
  let [bytes, collected] = [2 * mebibyte, 0]
  const look = openBufferCollector(
    () => {
      collected += 1
    },
    () => bytes,
  )
  bytes = 35 * mebibyte
  look(1)
  look(0)
  assert.equal(collected, 1)
})

test('the collector is there without a flag of the process, and its timer keeps no process alive', () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  using _collecting = collectBuffers()
  assert.equal(timers(), before)
})

test('a collection gives the memory of buffers and objects back to the system', () => {
  const program = fileURLToPath(new URL('../../helpers/collect-memory.ts', import.meta.url))
  const printed = execFileSync(process.execPath, [program], { encoding: 'utf8' })
  assert.ok(Number(printed) > 30, `${printed} MiB of some 60`)
})
