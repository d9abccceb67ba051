/**
 * The first letters of the first and the last word; of somebody who is called `Visitor 4F2A` the signs that tell them apart; `#` when
 * there is no name, or only a number.
 */
export function initials(name: string | null): string {
  const [, signs] = /^Visitor ([0-9A-F]{2})[0-9A-F]{2}$/.exec(name ?? '') ?? []
  if (signs !== undefined) return signs
  const words = (name ?? '').split(/\s+/u).filter((word) => /\p{L}/u.test(word))
  const first = firstLetter(words[0])
  const last = words.length > 1 ? firstLetter(words.at(-1)) : ''
  return first + last || '#'
}

/** The first letter with its marks, as a reader sees it. */
function firstLetter(word = ''): string {
  const letters = word.replace(/^[^\p{L}]+/u, '')
  const [first] = new Intl.Segmenter().segment(letters)
  return first?.segment.toLocaleUpperCase() ?? ''
}
