import { readFileSync } from 'node:fs'
import type { ModelManifest } from '@lat.md/embed'
import { type ModelMemory, modelAt, mostScratchBytes, scratchAt } from './memory.ts'
import { openTokenizer } from './tokenizer.ts'
import { Instance, Module } from './web-assembly.ts'
import { tableBytes } from './weights.ts'

/** What `minilm.c` exports. */
type Code = {
  __stack_pointer: { value: number }
  scratch_size: () => number
  model_size: () => number
  embed: (model: number, scratch: number, tokens: number) => number
}

/** `most_tokens` in `minilm.c`: as many as the library takes. */
const mostTokens = 256

export const compiledCode = new URL('./minilm.wasm', import.meta.url)

/**
 * Embeds texts with the compiled code of `minilm.c` in one of the places of a memory that has the weights already. Throws where
 * the code does not run, or does not give the vector that is known.
 */
export function openMiniLm(
  { maxTokens, dimensions, tokenizerPath }: ModelManifest,
  { memory }: ModelMemory,
  { place = 0, code = compiledCode }: { place?: number; code?: URL } = {},
): (text: string) => Float32Array {
  const { exports } = new Instance(new Module(readFileSync(code)), { env: { memory } })
  const { __stack_pointer: stack, scratch_size, model_size, embed } = exports as Code // checked by the build's test
  if (model_size() !== tableBytes() || scratch_size() > mostScratchBytes) throw new Error('the compiled code is older')
  const at = scratchAt(place)
  stack.value = at
  const tokenize = openTokenizer(tokenizerPath, Math.min(maxTokens, mostTokens))
  const input = new Int32Array(memory.buffer, at, mostTokens)
  const output = new Float32Array(memory.buffer, at + input.byteLength, dimensions)
  const embedText = (text: string) => {
    const tokens = tokenize(text)
    input.set(tokens)
    if (!embed(modelAt, at, tokens.length)) throw new Error('the compiled code refuses these tokens')
    return Float32Array.from(output) // a copy: the next text overwrites it
  }
  if (!isAsKnown(embedText(known.text))) throw new Error('the compiled code gives another vector than the one known')
  return embedText
}

/** The first numbers of a vector of the library. All weights but those of other words have a part in each of them. */
const known = {
  text: 'The first text loads the weights.',
  vector: [-0.07237, 0.02594, -0.01571, 0.08489, -0.05447, -0.01231, 0.05597, 0.00626],
}

function isAsKnown(vector: Float32Array): boolean {
  return known.vector.every((value, i) => Math.abs(value - (vector[i] ?? Number.NaN)) < 1e-4)
}
