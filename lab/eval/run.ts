import { writeFileSync } from 'node:fs'
import { openEmbedder } from '../../server/src/answers/knowledge/search/embedder.ts'
import { openLog } from '../../server/src/platform/log.ts'
import { evaluate } from './evaluate.ts'
import { metricsOf, missed } from './metrics.ts'
import { measurePrompts } from './prompts.ts'
import { chartOf, promptTableOf, reportOf, tableOf } from './report.ts'
import { compareVectors, leastCosine } from './vectors.ts'

/** Measures how well the bot answers, prints and saves the result, and fails outside the limits. */
const embedder = openEmbedder(openLog('warn').log, undefined, { niceness: 0 })
const outcomes = await evaluate(embedder)
console.log(tableOf(outcomes))
const prompts = await measurePrompts(embedder, [25, 100, 1_000])
console.log(`\nThe entry that answers is in the prompt of a language model:\n${promptTableOf(prompts)}`)
writeFileSync(new URL('results/README.md', import.meta.url), reportOf(outcomes, prompts, embedder.modelId))
writeFileSync(new URL('results/outcomes.svg', import.meta.url), chartOf(outcomes))
const { texts, least, of } = await compareVectors(embedder)
console.log(`\nThe least cosine of a vector with the library's, of ${texts} texts: ${least.toFixed(7)} (${of})`)
await embedder.close()

const outside = [...missed(metricsOf(outcomes)), ...missed(prompts)].map(({ name }) => name)
if (outside.length > 0) {
  console.error(`Outside their limits: ${outside.join(', ')}.`)
  process.exitCode = 1
}
if (least < leastCosine) {
  console.error(`The compiled code of the model differs from the library: ${least} is less than ${leastCosine}.`)
  process.exitCode = 1
}
