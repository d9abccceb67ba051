import { writeFileSync } from 'node:fs'
import { openEmbedder } from '../server/src/knowledge/search/embedder.ts'
import { openLog } from '../server/src/platform/log.ts'
import { evaluate } from './evaluate.ts'
import { metricsOf, missed } from './metrics.ts'
import { chartOf, reportOf, tableOf } from './report.ts'

/** Measures how well the built-in engine answers, prints and saves the result, and fails outside the limits. */
const embedder = openEmbedder(openLog('warn').log, undefined, { niceness: 0 })
const outcomes = await evaluate(embedder)
console.log(tableOf(outcomes))
writeFileSync(new URL('results/README.md', import.meta.url), reportOf(outcomes, embedder.modelId))
writeFileSync(new URL('results/outcomes.svg', import.meta.url), chartOf(outcomes))
await embedder.close()

const outside = missed(metricsOf(outcomes)).map(({ name }) => name)
if (outside.length > 0) {
  console.error(`Outside their limits: ${outside.join(', ')}.`)
  process.exitCode = 1
}
