import { setTimeout as sleep } from 'node:timers/promises'
import { startLoadClient } from '../load/client.ts'
import type { UploadOutcome } from '../load/upload.ts'
import { readMemory, resetPeakMemory } from '../measure.ts'
import { apiKey } from '../servers/start.ts'
import type { Latency } from '../statistics.ts'
import { type Bench, loadOn, surprises } from './bench.ts'

/** What many large files at once do to the small messages beside them, and to memory. */
export type FilesBeside = {
  files: number
  fileBytes: number
  uploads: UploadOutcome
  alone: Latency
  beside: Latency
  surprises: string | undefined
  peakMemoryBytes: number
}

const files = 50
const fileBytes = 10 * 1024 * 1024
/** Small messages at a steady, moderate rate: the question is how long they wait, not how many fit. */
const requestsPerSecond = 200
const aloneMs = 4_000
const longestMs = 60_000
/** For the small messages that still wait when the last file is in. */
const settledAfterMs = 500

export async function sendFilesBeside(bench: Bench): Promise<FilesBeside> {
  const { product } = bench.servers
  const small = { requestsPerSecond, connections: 16, warmupMs: 300, measuredMs: aloneMs }
  bench.printProgress('small messages alone, then beside 50 files of 10 MiB')
  const alone = await loadOn(bench, product, small)

  await using uploader = startLoadClient() // a second one: encrypting the files must not delay the first one's clock
  resetPeakMemory(product.processes.node)
  const { port, certificate } = product
  const uploading = uploader.upload({ port, certificate, apiKey, files, fileBytes })
  const until = uploading.then(() => sleep(settledAfterMs))
  const beside = await loadOn(bench, product, { ...small, warmupMs: 0, measuredMs: longestMs, until })
  return {
    files,
    fileBytes,
    uploads: await uploading,
    alone: alone.latency,
    beside: beside.latency,
    surprises: surprises(beside, 200),
    peakMemoryBytes: readMemory(product.processes.node).peak,
  }
}
