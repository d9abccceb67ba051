import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/**
 * Loaded into a server before anything else (`--import`): told by SIGUSR2, it writes down for how long its event loop
 * was held up at most since the last time.
 */
const resolutionMs = 1
const delays = monitorEventLoopDelay({ resolution: resolutionMs })
delays.enable()

process.on('SIGUSR2', () => {
  const ms = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs)
  const stall = { maxMs: ms(delays.max), p99Ms: ms(delays.percentile(99)) }
  // biome-ignore lint/style/noProcessEnv: it has no other way to know where it runs
  writeFileSync(join(process.env.DATA_DIR ?? '.', 'event-loop.json'), JSON.stringify(stall))
  delays.reset()
})
