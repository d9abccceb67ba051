import { plainText } from '../platform/plain-text.ts'

/** Texts as weighted features, after what is rare among them, to be compared with a question. */
export type Lexicon = {
  featuresOf: FeaturesOf
  rarity: Float32Array
  texts: Weighted[]
}

/** A text's features, each as often as it occurs. */
export type FeaturesOf = (text: string) => string[]
type Weighted = { buckets: Uint32Array; weights: Float32Array }

/** Features are counted by their hash. At 20,000 texts of 60 letters a bucket holds about two; rare ones weigh most. */
const bucketCount = 2 ** 18

export function buildLexicon(texts: string[], featuresOf: FeaturesOf): Lexicon {
  const occurring = new Float32Array(bucketCount)
  const counted = texts.map((text) => countBuckets(featuresOf(text)))
  for (const counts of counted) for (const bucket of counts.keys()) occurring[bucket] = (occurring[bucket] ?? 0) + 1
  const rarity = occurring.map((count) => 1 + Math.log((texts.length + 1) / (count + 1)))
  return { featuresOf, rarity, texts: counted.map((counts) => weigh(counts, rarity)) }
}

/** The cosine of the question with each of the texts. */
export function compareWith({ featuresOf, rarity, texts }: Lexicon, question: string): Float32Array {
  const asked = weigh(countBuckets(featuresOf(question)), rarity)
  const weightOf = new Float32Array(bucketCount)
  for (const [i, bucket] of asked.buckets.entries()) weightOf[bucket] = asked.weights[i] ?? 0
  return Float32Array.from(texts, ({ buckets, weights }) => {
    let sum = 0
    for (let i = 0; i < buckets.length; i++) sum += (weights[i] ?? 0) * (weightOf[buckets[i] ?? 0] ?? 0)
    return sum
  })
}

/** Runs of three to five letters inside words, with the words' ends: endings and typing errors cost a few of them. */
export function letterRuns(text: string): string[] {
  return plainText(text)
    .split(' ')
    .flatMap((word) => runsOf(` ${word} `))
}

/** Words without their commonest endings. */
export function wordStems(text: string): string[] {
  return plainText(text)
    .split(' ')
    .map((word) => (word.length > 4 ? word.replace(/(?:ies|ing|ed|es|s|y|e)$/, '') : word.replace(/s$/, '')))
}

function runsOf(word: string): string[] {
  const letters = [...word]
  return [3, 4, 5].flatMap((length) =>
    Array.from({ length: Math.max(letters.length - length + 1, 0) }, (_, from) =>
      letters.slice(from, from + length).join(''),
    ),
  )
}

function countBuckets(features: string[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const feature of features) {
    const bucket = hash(feature) % bucketCount
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
  }
  return counts
}

function weigh(counts: Map<number, number>, rarity: Float32Array): Weighted {
  const buckets = Uint32Array.from(counts.keys())
  const weights = Float32Array.from(counts, ([bucket, count]) => (1 + Math.log(count)) * (rarity[bucket] ?? 0))
  const length = Math.sqrt(weights.reduce((sum, weight) => sum + weight * weight, 0)) || 1
  return { buckets, weights: weights.map((weight) => weight / length) }
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value >>> 0
}
