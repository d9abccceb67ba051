import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { test } from 'node:test'

test('V8 waits for a minute before it collects everything in an idle process', () => {
  const file = resolve(import.meta.dirname, '../../../src/platform/processes/keep-optimized-code.ts')
  const script = `
    const { keepOptimizedCode } = await import(${JSON.stringify(file)})
    keepOptimizedCode()
    let kept = Array.from({ length: 2_000_000 }, (_, n) => ({ n }))
    kept = undefined
    await new Promise((resolve) => setTimeout(resolve, 2_000))
  `
  const trace = ['--trace-memory-reducer', '--gc-memory-reducer-start-delay-ms=1']
  const { stdout, stderr } = spawnSync(process.execPath, [...trace, '--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
  assert.match(stdout, /Memory reducer: waiting for 60000 ms/, stderr)
})
