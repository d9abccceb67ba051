export type Delimiter = ',' | ';' | '\t'
/** `skipped`: characters of a first line that only names the delimiter. */
export type Format = { delimiter: Delimiter; newline: string[]; skipped: number }

const delimiters: readonly Delimiter[] = [',', ';', '\t']
const linesLookedAt = 20

/**
 * How a file is written, from its first lines. Delimiters inside quotes do not count. The right one is found as often in
 * most lines as in the first; a comma inside of names is not.
 */
export function findFormat(head: string): Format {
  const [{ length: skipped } = '', declared] = /^sep=([,;\t])\r?\n/i.exec(head) ?? [] // a spreadsheet's own way to say it
  const newline = head.includes('\n') ? ['\r\n', '\n'] : ['\r']
  if (declared !== undefined) return { delimiter: declared as Delimiter, newline, skipped }
  const lines = countInLines(head)
  const scores = delimiters.map((delimiter) => {
    const counts = lines.map((line) => line.get(delimiter) ?? 0)
    const [first = 0] = counts
    const alike = first === 0 ? 0 : counts.filter((count) => count === first).length
    return { delimiter, alike, first }
  })
  const [best] = scores.toSorted((one, other) => other.alike - one.alike || other.first - one.first)
  return { delimiter: best && best.alike > 0 ? best.delimiter : ',', newline, skipped }
}

/** How often each delimiter is in the first lines, outside of quotes. The last line may be cut off, and does not count. */
function countInLines(head: string): Map<string, number>[] {
  const lines: Map<string, number>[] = []
  let line = new Map<string, number>()
  let isQuoted = false
  for (const char of head) {
    if (char === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (char === '\n' || char === '\r') {
      if (line.size > 0) lines.push(line)
      if (lines.length === linesLookedAt) return lines
      line = new Map()
    } else if (delimiters.includes(char as Delimiter)) line.set(char, (line.get(char) ?? 0) + 1)
  }
  return lines.length > 0 ? lines : [line]
}
