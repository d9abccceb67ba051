import type { AskedFor } from '../app/requests.ts'
import { makeRandom, seeded, wordAt } from '../app/texts.ts'

const random = makeRandom(3)

/** A word of these places, of which the first are the most frequent. */
const any = (from: number, to: number) => wordAt(from + Math.floor(random() * (to - from)))

/** Searches of messages: what people type, and what takes the longest. */
export function searchRequests(): AskedFor[] {
  const [first = '', second = ''] = seeded.apart
  const kinds: [name: string, q: () => string][] = [
    ['a word of most messages', () => any(0, 20)],
    ['a word of many messages', () => any(50, 500)],
    ['a word of some messages', () => any(500, 5_000)],
    ['a word of few messages', () => any(5_000, 20_000)],
    ['three letters', () => any(50, 5_000).slice(0, 3)],
    ['two words', () => `${any(0, 2_000)} ${any(0, 2_000)}`],
    ['three words', () => `${any(0, 500)} ${any(0, 500)} ${any(0, 500)}`],
    ['a rare word', () => seeded.rare],
    ['no such word', () => `zz${Math.floor(random() * 1e9).toString(36)}`],
  ]
  const hard: [name: string, q: () => string][] = [
    ['hard: frequent, old messages only', () => seeded.old],
    ['hard: two words, never together', () => `${first} ${second}`],
    ['hard: a number of two digits', () => `${seeded.invoice} 47`],
    ['hard: a letter beside a word', () => `${any(0, 20)} q`],
  ]
  const mix = () => kinds[Math.floor(random() * kinds.length)]?.[1]() ?? ''
  return [['mix of the next nine', mix] as const, ...kinds, ...hard].map(([name, q]) => paged(name, q))
}

/** As the app does: while an answer says that older messages are not searched yet, the next request goes on with them. */
function paged(name: string, makeQuery: () => string): AskedFor {
  let goingOn: string | undefined
  let path = ''
  return {
    name,
    path: () => {
      path = goingOn ?? `/api/search?q=${encodeURIComponent(makeQuery())}`
      return path
    },
    answered: (body) => {
      const { next } = JSON.parse(body) as { next: string | null }
      goingOn = next === null ? undefined : `${path.replace(/&before=.*/, '')}&before=${next}`
    },
  }
}
