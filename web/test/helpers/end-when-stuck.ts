import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Far more than any tick of the event loop takes, also on a busy machine. */
const longestTickMs = 5_000

/**
 * Ends the process, and names the test, when its event loop stands still: a loop of promises without an end lets no
 * timer run, so that neither the deadline of a test nor that of the runner would end it.
 */
export async function endWhenStuck(test: string): Promise<Disposable> {
  const ticks = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(watch, { eval: true, workerData: { ticks, longestTickMs, test } })
  await once(worker, 'online') // it cannot start while the event loop stands still
  worker.unref()
  const beating = setInterval(() => Atomics.add(ticks, 0, 1), 100).unref()
  return {
    [Symbol.dispose]: () => {
      clearInterval(beating)
      void worker.terminate()
    },
  }
}

const watch = `
const { ticks, longestTickMs, test } = require('node:worker_threads').workerData
let seen = -1
let since = performance.now()
setInterval(() => {
  const now = Atomics.load(ticks, 0)
  if (now !== seen) since = performance.now()
  seen = now
  if (performance.now() - since < longestTickMs) return
  require('node:fs').writeSync(2, 'a loop without an end, in: ' + test + '\\n')
  process.kill(process.pid, 'SIGKILL')
}, 100)
`
