import { plainText } from '../../../platform/text/plain-text.ts'

/** Texts as TF-IDF vectors of hashed features (character n-grams or word stems), to be compared with a question. */
export type TfIdfIndex = { featuresOf: FeaturesOf; idf: Float32Array; texts: FeatureWeights[] }

/** The features of a text, each as often as it occurs, by its hash bucket. */
export type FeaturesOf = (text: string) => number[]
type FeatureCounts = { buckets: Uint32Array; counts: Float32Array }
type FeatureWeights = { buckets: Uint32Array; weights: Float32Array }

/** With 20,000 texts of 60 letters, about two features share a bucket. */
const bucketCount = 2 ** 18

/** The length in characters: a long answer says at its beginning what it is about. */
const longestText = 300

export function buildTfIdf(texts: string[], featuresOf: FeaturesOf): TfIdfIndex {
  const occurring = new Float32Array(bucketCount)
  const counted = texts.map((text) => count(featuresOf(text.slice(0, longestText))))
  for (const { buckets } of counted) for (const bucket of buckets) occurring[bucket] = (occurring[bucket] ?? 0) + 1
  const idf = occurring.map((count) => 1 + Math.log((texts.length + 1) / (count + 1)))
  return { featuresOf, idf, texts: counted.map((features) => weigh(features, idf)) }
}

/** The cosine of the question with each of the texts. */
export function similarities({ featuresOf, idf, texts }: TfIdfIndex, question: string): Float32Array {
  const asked = weigh(count(featuresOf(question)), idf)
  const weightOf = new Float32Array(bucketCount)
  for (const [i, bucket] of asked.buckets.entries()) weightOf[bucket] = asked.weights[i] ?? 0
  return Float32Array.from(texts, ({ buckets, weights }) => {
    let sum = 0
    for (let i = 0; i < buckets.length; i++) sum += (weights[i] ?? 0) * (weightOf[buckets[i] ?? 0] ?? 0)
    return sum
  })
}

/** Character n-grams of 3 to 5 within words, with word boundaries: an inflection or a typing error changes few. */
export function characterNgrams(text: string): number[] {
  const features: number[] = []
  for (const word of plainText(text).split(' ')) {
    const padded = ` ${word} `
    for (let from = 0; from + 3 <= padded.length; from++) {
      let hash = start
      for (let to = from; to < Math.min(from + 5, padded.length); to++) {
        hash = step(hash, padded.charCodeAt(to))
        if (to - from >= 2) features.push(bucketOf(hash))
      }
    }
  }
  return features
}

/** Words without their commonest endings. */
export function wordStems(text: string): number[] {
  return plainText(text)
    .split(' ')
    .map((word) => (word.length > 4 ? word.replace(/(?:ies|ing|ed|es|s|y|e)$/, '') : word.replace(/s$/, '')))
    .map((stem) => bucketOf(Array.from(stem, (letter) => letter.charCodeAt(0)).reduce(step, start)))
}

/** FNV-1a, letter by letter. */
const start = 0x811c9dc5

function step(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193)
}

function bucketOf(hash: number): number {
  return (hash >>> 0) % bucketCount
}

function count(features: number[]): FeatureCounts {
  const sorted = Uint32Array.from(features).sort()
  const buckets = sorted.filter((bucket, i) => i === 0 || bucket !== sorted[i - 1])
  const counts = new Float32Array(buckets.length)
  let at = -1
  for (const [i, bucket] of sorted.entries()) {
    if (i === 0 || bucket !== sorted[i - 1]) at += 1
    counts[at] = (counts[at] ?? 0) + 1
  }
  return { buckets, counts }
}

function weigh({ buckets, counts }: FeatureCounts, idf: Float32Array): FeatureWeights {
  const weights = counts.map((count, i) => (1 + Math.log(count)) * (idf[buckets[i] ?? 0] ?? 0))
  const length = Math.sqrt(weights.reduce((sum, weight) => sum + weight * weight, 0)) || 1
  return { buckets, weights: weights.map((weight) => weight / length) }
}
