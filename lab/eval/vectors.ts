/** Whether our own code of the model gives the vectors of the library that it was made after. */
import { cosine } from '../../server/src/answers/knowledge/search/campaign-index.ts'
import { type Embedder, openEmbedder } from '../../server/src/answers/knowledge/search/embedder.ts'
import { openLog } from '../../server/src/platform/log.ts'
import { entries, questions, readJson } from './evaluate.ts'

/** The least cosine of two vectors of a text, over all texts of the files (phrasings, answers and questions), and one of each length. */
export async function compareVectors(embedder: Embedder): Promise<{ texts: number; least: number; of: string }> {
  const texts = new Set([
    ...Object.values(entries).flatMap((known) => known.flatMap(({ questions, answer }) => [answer, ...questions])),
    ...questions.map(({ text }) => text),
    ...readJson<{ text: string }[]>('more-questions.json').map(({ text }) => text),
    ...Array.from({ length: longestWords + 1 }, (_, words) => textOf(words)),
  ])
  const library = openEmbedder(openLog('error').log, undefined, { niceness: 0, code: noCode })
  let [least, of] = [1, '']
  for (const text of texts) {
    const [[own], [known]] = [await embedder.embed([text]), await library.embed([text])]
    const similarity = own && known ? cosine(own, known) : 0
    if (similarity < least) [least, of] = [similarity, text]
  }
  await library.close()
  return { texts: texts.size, least, of }
}

/** Each is one token; two more mark the beginning and the end, and the model has places for 256. */
const words = ['when', 'does', 'the', 'blue', 'parcel']
const longestWords = 255

const textOf = (length: number) => Array.from({ length }, (_, n) => words[n % words.length]).join(' ')

/** Without compiled code the library embeds. */
const noCode = new URL('file:///dev/null')

/** Far below what a decision could depend on, and far above what rounding makes. */
export const leastCosine = 0.9999
