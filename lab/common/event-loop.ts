import { readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** What Node must be told for a server whose event loop `readStalls` reads. */
export const watchLoopFlag = `--import ${resolve(import.meta.dirname, 'watch-loop.ts')}`

/** For how long its event loop was held up since the last call, at most and in 99 of 100 cases. */
type Stalls = { maxMs: number; p99Ms: number }

const respondsWithinMs = 30_000

/** Infinite: its event loop did not respond at all. */
export async function readStalls(pid: number, dataDir: string): Promise<Stalls> {
  const file = join(dataDir, 'event-loop.json')
  await rm(file, { force: true })
  try {
    process.kill(pid, 'SIGUSR2')
  } catch {} // it has exited
  const giveUpAt = performance.now() + respondsWithinMs
  while (performance.now() < giveUpAt) {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text !== '') return JSON.parse(text)
    await sleep(50)
  }
  return { maxMs: Number.POSITIVE_INFINITY, p99Ms: Number.POSITIVE_INFINITY }
}
