import { createEmbedder, type ModelManifest } from '@lat.md/embed'
import { openMiniLm } from './minilm/minilm.ts'
import type { Place } from './minilm/shared-weights.ts'
import { hasWeights, loadWeights, openWeights } from './minilm/weights.ts'

export type Model = {
  embed: (text: string) => Promise<Float32Array>
  /** Why the library embeds, which takes more than twice as long; undefined: our own code does. */
  slowBecause?: string
}

type Own = { code: URL; place: Place | undefined }

/**
 * The model, in our own compiled code (decision 69) or, where that does not run or does not give the known vector, in the
 * library that it was made after. Both read the same weights and give the same vectors.
 */
export async function openModel(manifest: ModelManifest, own: Own): Promise<Model> {
  try {
    return openOwn(manifest, own)
  } catch (error) {
    return { ...(await openLibrary(manifest)), slowBecause: String(error) }
  }
}

/** Only in our own code: a second thread with the library would take its memory again. */
export function openOwn(manifest: ModelManifest, { code, place }: Own): Model {
  if (!place) throw new Error('there is no memory for the weights')
  if (!hasWeights(place.memory)) {
    using weights = openWeights(manifest.weightsPath)
    loadWeights(weights, place.memory)
  }
  const embed = openMiniLm(manifest, place.memory, { place: place.number, code })
  return { embed: async (text) => embed(text) }
}

async function openLibrary(manifest: ModelManifest): Promise<Model> {
  const loaded = await createEmbedder({ model: manifest })
  await loaded.embed(['The first text loads the weights.'])
  return { embed: async (text) => Float32Array.from((await loaded.embed([text]))[0] ?? []) }
}
