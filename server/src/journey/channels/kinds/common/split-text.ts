/** Where a text is divided, the best place first: after a paragraph, a line, a sentence, a word. */
const borders = [/\n\s*\n/g, /\n/g, /[.!?…。！？]+["'”’)\]]*\s(?!\p{M})/gu, /\s(?!\p{M})/gu]

/** A border in the first half would leave a short part before a long one. */
const leastShare = 0.5

/**
 * Divides a text into parts of at most so many UTF-16 code units, at the best border in reach, and never inside what a
 * reader sees as one character. White space at a border is dropped, everything else stays.
 */
export function splitText(text: string, most: number): string[] {
  const parts: string[] = []
  let rest = text
  while (rest.length > most) {
    const end = borderOf(rest, most)
    parts.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  return [...parts, rest].filter((part) => part !== '')
}

function borderOf(text: string, most: number): number {
  const reach = text.slice(0, most + 1)
  for (const border of borders) {
    const last = [...reach.matchAll(border)].at(-1)
    const end = last ? last.index + last[0].trimEnd().length : 0
    if (end > 0 && end <= most && end >= most * leastShare) return end
  }
  return lastCharacter(text, most)
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Characters that are longer than a part, such as a letter with hundreds of accents, are cut all the same. */
const longestCharacter = 64

/** The last border between characters. Only the end of the text is looked at: to look at all of it takes milliseconds. */
function lastCharacter(text: string, most: number): number {
  const from = Math.max(0, most - longestCharacter)
  const near = text.slice(from, most + longestCharacter)
  const ends = [...characters.segment(near)].map(({ index }) => from + index).filter((end) => end > from && end <= most)
  return ends.at(-1) ?? most
}
