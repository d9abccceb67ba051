import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openBuiltinEngine } from '../../server/src/answers/engines/builtin/builtin-engine.ts'
import { openEmbedder } from '../../server/src/answers/knowledge/search/embedder.ts'
import { openLog } from '../../server/src/platform/log.ts'
import { dueTimes } from '../common/due-times.ts'
import { percentilesOf } from '../common/percentiles.ts'
import { campaignOf, defaults, knowledgeOf, questions } from './evaluate.ts'

/** Measures the latency of answers at ten turns a second, and how long they block the event loop. */
const [perSecond, seconds] = [Number(process.argv[2] ?? 10), Number(process.argv[3] ?? 20)]

const memoryBefore = process.memoryUsage.rss()
const embedder = openEmbedder(openLog('warn').log)
const knowledge = await knowledgeOf(embedder)
const engine = openBuiltinEngine(knowledge)
const asked = questions.filter(({ campaign, kind }) => campaign === 'en' && kind !== 'request for a person')

const loop = monitorEventLoopDelay({ resolution: 5 })
loop.enable()
const took: number[] = []
const turns: Promise<void>[] = []
for await (const { n } of dueTimes(perSecond)) {
  if (n >= perSecond * seconds) break
  turns.push(answer(`${asked[n % asked.length]?.text} ${n}`)) // all different: the thread caches embeddings
}
await Promise.all(turns)
loop.disable()

const at = percentilesOf(took)
const ms = (value: number) => `${value.toFixed(1)} ms`
const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`
console.log(`${took.length} turns at ${perSecond}/s: p50 ${ms(at(0.5))}, p95 ${ms(at(0.95))}`)
console.log(`event loop: p99 ${ms(loop.percentile(99) / 1e6 - 5)}, longest stall ${ms(loop.max / 1e6 - 5)}`)
console.log(`memory: ${mib(memoryBefore)} before, ${mib(process.memoryUsage.rss())} with the model and its thread`)
await embedder.close()

async function answer(text: string): Promise<void> {
  const from = performance.now()
  const input = { campaign: campaignOf('en'), settings: defaults, text, firstName: null, history: [], offered: [] }
  await engine.generate(input, AbortSignal.timeout(60_000))
  took.push(performance.now() - from)
}
