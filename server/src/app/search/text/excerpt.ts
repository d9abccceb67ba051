import { eachWord, fold, needleOf, type Word } from './words.ts'

/** About so many characters are shown before the match. */
const before = 30
const excerptCharacters = 120

/** A cut is moved to the next space if it is so near. */
const spaceWithin = 16

/**
 * The part of a text around the first of these words in it, with "…" where something is left out. Only the first `lookAt`
 * characters are looked at; without a word there it is the beginning of the text.
 */
export function excerptOf(text: string, wanted: Word[], lookAt = text.length): string {
  const place = findFirst(text.slice(0, lookAt), wanted.map(needleOf))
  const start = startNear(text, Math.max(0, place - before), place)
  const end = endNear(text, start + excerptCharacters)
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}

/** Where these words are in a text, from the first to the last. */
export function marksOf(text: string, wanted: Word[]): { from: number; to: number }[] {
  const needles = wanted.map(needleOf)
  const marks: { from: number; to: number }[] = []
  for (const word of eachWord(text)) {
    const found = needles.filter((needle) => placeIn(word, needle) < Number.POSITIVE_INFINITY)
    const longest = found.sort((a, b) => b.length - a.length)[0]
    if (longest === undefined) continue
    const begins = word.offset + placeIn(word, longest)
    const from = placeInText(text, word.at, begins)
    marks.push({ from, to: placeInText(text, word.at, begins + longest.trim().length) })
  }
  return marks
}

/** Where a word begins, or else a character: not in the middle of one, and not with a mark that belongs to one before. */
function startNear(text: string, start: number, place: number): number {
  if (start === 0) return 0
  const left = text.slice(start - 1, place)
  const spaceAt = left.slice(0, spaceWithin).search(/\s/)
  if (spaceAt >= 0) return place - left.slice(spaceAt).trimStart().length
  return start + (/^[\udc00-\udfff]?[\p{M}\p{EMod}\u200d]*/u.exec(left.slice(1))?.[0].length ?? 0)
}

function endNear(text: string, end: number): number {
  if (end >= text.length) return text.length
  const right = text.slice(end - spaceWithin, end)
  const upToSpace = /\s/.test(text[end] ?? '') ? right : right.slice(0, right.search(/\s\S*$/) + 1)
  if (upToSpace !== '') return end - spaceWithin + upToSpace.trimEnd().length
  return /[\ud800-\udbff]$/.test(right) ? end - 1 : end
}

function findFirst(text: string, needles: string[]): number {
  for (const word of eachWord(text)) {
    const place = Math.min(...needles.map((needle) => placeIn(word, needle)))
    if (place < Number.POSITIVE_INFINITY) return placeInText(text, word.at, word.offset + place)
  }
  return 0
}

/** How many characters of a word are before the needle; infinitely many if it is not there. */
function placeIn({ text, kind }: Word, needle: string): number {
  const place = kind === 'unspaced' ? text.indexOf(needle.trim()) : ` ${text}`.startsWith(needle) ? 0 : -1
  return place < 0 ? Number.POSITIVE_INFINITY : place
}

/** Where the compared form of what begins at `at` has this many characters. */
function placeInText(text: string, at: number, characters: number): number {
  let place = at
  for (let compared = 0; compared < characters && place < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(place) ?? 0)
    compared += fold(character).length
    place += character.length
  }
  return place
}
