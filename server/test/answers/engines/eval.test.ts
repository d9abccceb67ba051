import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluate } from '../../../../lab/eval/evaluate.ts'
import { metricsOf, missed } from '../../../../lab/eval/metrics.ts'
import { measurePrompts } from '../../../../lab/eval/prompts.ts'
import { promptTableOf, tableOf } from '../../../../lab/eval/report.ts'
import { openEmbedder } from '../../../src/answers/knowledge/search/embedder.ts'
import { missingModel, silentLog } from '../../helpers/knowledge.ts'

const longTimeout = { timeout: 290_000 }

test('the built-in engine answers the labelled questions within its limits', longTimeout, async () => {
  const embedder = openEmbedder(silentLog, undefined, { niceness: 0 }) // it shares the machine with other tests
  const outcomes = await evaluate(embedder)
  await embedder.close()

  assert.ok(outcomes.length >= 200)
  assert.ok(outcomes.filter(({ language }) => language !== 'en').length >= 30)
  assert.ok(outcomes.filter(({ typos }) => typos).length >= 20)
  assert.deepEqual(missed(metricsOf(outcomes)), [], tableOf(outcomes))
})

test('an engine that answers too readily, or ranks badly, is outside the limits', async () => {
  const embedder = openEmbedder(silentLog, missingModel)
  const outside = missed(metricsOf(await evaluate(embedder, { answerThreshold: 0.01, margin: 0 })))
  await embedder.close()
  assert.deepEqual(
    outside.map(({ name }) => name),
    ['ranked first', 'answered wrong', 'near miss answered', 'unrelated answered'],
  )
})

test('a model that answers for 25 entries has the right one in its prompt, in whatever language it is asked', async () => {
  const embedder = openEmbedder(silentLog, missingModel) // where all entries fit, it does not matter how they rank
  const metrics = await measurePrompts(embedder, [25])
  await embedder.close()
  assert.deepEqual([new Set(metrics.map(({ tokens }) => tokens)), metrics.length], [new Set([3_000, 16_000]), 2 * 9])
  assert.deepEqual(missed(metrics), [], promptTableOf(metrics))
})
