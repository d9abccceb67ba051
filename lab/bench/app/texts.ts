import type { Client } from 'pg'

/** Words of which a few make up most of a text, as in any language: the one at place n is written n times less often than the first. */
const vocabulary = makeWords(20_000)

/** What messages are put together from; each of a few words. */
const phrases = 16_384
const wordsOfPhrase = 6

/** Words that are in some messages only, for searches that must find little or nothing. */
export const seeded = {
  /** Each in one of 50 messages, never both in one. */
  apart: ['lantern', 'harbour'],
  /** In one of 20, with a number of six digits, which never begins with 47. */
  invoice: 'invoice',
  /** In one of 30, of the oldest tenth only. */
  old: 'snowfall',
  /** In one of 10,000. */
  rare: 'quartz',
}

/** Makes the table `bench_phrases` and returns the text of message `seq` of contact `n`, as SQL. Text of some 150 characters. */
export async function makeTexts(client: Client): Promise<string> {
  const random = makeRandom(7)
  const texts = Array.from({ length: phrases }, () =>
    Array.from({ length: wordsOfPhrase }, () => vocabulary[Math.floor(vocabulary.length ** random()) - 1]).join(' '),
  )
  await client.query(`create temporary table bench_phrases (id integer primary key, text text)`)
  await client.query(
    `insert into bench_phrases select ordinality - 1, text from unnest($1::text[]) with ordinality as p (text)`,
    [texts],
  )
  const phrase = (salt: number) =>
    `(select text from bench_phrases where id = hashtext(n || ' ' || seq || ' ${salt}') & ${phrases - 1})`
  const [first, second] = seeded.apart
  return `concat_ws(' ', ${[1, 2, 3, 4].map(phrase).join(', ')},
    case (n + seq) % 50 when 7 then '${first}' when 31 then '${second}' end,
    case when (n + seq) % 20 = 3 then '${seeded.invoice} ' || 500000 + (n * 131 + seq) % 400000 end,
    case when (n + seq) % 30 = 9 and seq <= 10 then '${seeded.old}' end,
    case when (n * 100 + seq) % 10000 = 77 then '${seeded.rare}' end)`
}

/** A word at its usual frequency: the first are in most messages, the last in few. */
export function wordAt(place: number): string {
  return vocabulary[place] ?? ''
}

function makeWords(count: number): string[] {
  const random = makeRandom(1)
  const pick = (letters: string) => letters[Math.floor(random() * letters.length)] ?? ''
  const words = new Set<string>()
  while (words.size < count) {
    // The more frequent a word, the shorter it is.
    const syllables = 1 + Math.round(Math.log10(words.size + 1) / 2 + random())
    words.add(
      Array.from({ length: syllables }, () => pick('bcdfghklmnprstvw') + pick('aeiou') + pick('lmnrst '))
        .join('')
        .replaceAll(' ', ''),
    )
  }
  return [...words]
}

/** The same numbers in every run, so that runs can be compared. */
export function makeRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
