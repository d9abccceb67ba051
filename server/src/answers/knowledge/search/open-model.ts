import { createEmbedder, type ModelManifest } from '@lat.md/embed'
import { openMemory } from './minilm/memory.ts'
import { openMiniLm } from './minilm/minilm.ts'
import { loadWeights, openWeights } from './minilm/weights.ts'

export type Model = {
  embed: (text: string) => Promise<Float32Array>
  /** Why the library embeds, which takes more than twice as long; undefined: our own code does. */
  slowBecause?: string
}

/**
 * The model, in our own compiled code (decision 69) or, where that does not run or does not give the known vector, in the
 * library that it was made after. Both read the same weights and give the same vectors.
 */
export async function openModel(manifest: ModelManifest, code: URL): Promise<Model> {
  try {
    const embed = openOwn(manifest, code)
    return { embed: async (text) => embed(text) }
  } catch (error) {
    return { ...(await openLibrary(manifest)), slowBecause: String(error) }
  }
}

function openOwn(manifest: ModelManifest, code: URL): (text: string) => Float32Array {
  using weights = openWeights(manifest.weightsPath)
  const memory = openMemory(weights.dataBytes)
  loadWeights(weights, memory)
  return openMiniLm(manifest, memory, { code })
}

async function openLibrary(manifest: ModelManifest): Promise<Model> {
  const loaded = await createEmbedder({ model: manifest })
  await loaded.embed(['The first text loads the weights.'])
  return { embed: async (text) => Float32Array.from((await loaded.embed([text]))[0] ?? []) }
}
