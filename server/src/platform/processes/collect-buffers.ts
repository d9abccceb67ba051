import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How often it looks. */
const everyMs = 5_000

/** Up to this share of its time a process is idle. */
const idleUpTo = 0.05

/** How much more memory buffers may have taken than after the last collection. */
const mostBytes = 16 * 2 ** 20

/**
 * Frees the buffers of a flood of requests once it is over. V8 collects when memory is allocated, so a process with nothing to
 * do would keep what closed connections had read for minutes. Only then: whoever collects after every busy time takes a tenth
 * of the next one (decision 18).
 */
export function collectBuffers(): Disposable {
  const look = openBufferCollector(openCollect(), () => process.memoryUsage().arrayBuffers)
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    look(performance.eventLoopUtilization(before).utilization)
    before = performance.eventLoopUtilization()
  }, everyMs)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/**
 * Decides by the share of its time in which the process worked, and by what buffers take now. What they take at the start
 * is the first to compare with: a process may be flooded before it was ever idle.
 */
export function openBufferCollector(collect: () => void, readBytes: () => number): (utilization: number) => void {
  let keptBytes = readBytes()
  return (utilization) => {
    if (utilization > idleUpTo) return
    const bytes = readBytes()
    keptBytes = Math.min(keptBytes, bytes)
    if (bytes - keptBytes < mostBytes) return
    collect()
    keptBytes = readBytes() // what is left is in use
  }
}

/**
 * The only way to V8's collector without a flag at the start of the process, which `node server/cli.ts` would not have. The last
 * resort gives memory back to the system; an ordinary collection only makes room for what comes next.
 */
export function openCollect(): () => void {
  setFlagsFromString('--expose-gc')
  const gc: (options: object) => void = runInNewContext('gc')
  return () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
