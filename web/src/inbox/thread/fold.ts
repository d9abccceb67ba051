/** A longer text is folded to about a screenful; one that is only a little longer is not. */
const most = { characters: 1_500, lines: 24 }
const slack = 1.25

/** The beginning of a long text, cut between two words or at least between two characters; undefined if it is short. */
export function foldText(text: string): string | undefined {
  if (text.length <= most.characters * slack && endOfLine(text, most.lines * slack) === undefined) return undefined
  const end = Math.min(endOfLine(text, most.lines) ?? most.characters, most.characters)
  if (/\s/u.test(text.charAt(end))) return text.slice(0, end).trimEnd()
  const space = text.slice(0, end).search(/\s\S{0,80}$/u)
  return text.slice(0, space > end / 2 ? space : wholeCharacters(text, end)).trimEnd()
}

/** Returns where a line ends; undefined if the text has fewer. */
function endOfLine(text: string, line: number): number | undefined {
  let at = -1
  for (let count = 0; count < line; count += 1) {
    at = text.indexOf('\n', at + 1)
    if (at < 0) return undefined
  }
  return at
}

/** The last boundary between characters as a reader sees them, at or before `end`. */
function wholeCharacters(text: string, end: number): number {
  const from = Math.max(0, end - 64)
  const near = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text.slice(from, end + 64))
  const holding = near.containing(end - from)
  return holding ? from + holding.index : end
}
