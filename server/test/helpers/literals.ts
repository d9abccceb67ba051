/** A template literal or string in a source file. Expressions in a template stay as `${text}`, except the literals in them. */
export type Literal = { line: number; text: string }

/** All literals of a TypeScript file; one inside an expression of another comes by itself. */
export function literalsIn(source: string): Literal[] {
  const found: Literal[] = []
  const end = skipCode({ source, found }, 0, undefined)
  if (end !== source.length) throw new Error(`a literal or comment does not end, before character ${end}`)
  return found
}

type Scan = { source: string; found: Literal[] }

/** Skips code until the given closing brace, or to the end; returns where it stands. */
function skipCode(scan: Scan, from: number, closing: '}' | undefined): number {
  const { source } = scan
  let depth = 0
  let at = from
  while (at < source.length) {
    const char = source.charAt(at)
    if (char === '`') at = readTemplate(scan, at)
    else if (char === "'" || char === '"') at = readString(scan, at)
    else if (source.startsWith('//', at)) at = endOf(source, '\n', at)
    else if (source.startsWith('/*', at)) at = endOf(source, '*/', at)
    else if (char === '/' && beginsRegex(source, at)) at = endOfRegex(source, at)
    else {
      if (char === '{') depth += 1
      if (char === '}' && depth === 0 && closing) return at + 1
      if (char === '}') depth -= 1
      at += 1
    }
  }
  return at
}

function readTemplate(scan: Scan, from: number): number {
  const { source, found } = scan
  const literal: Literal = { line: lineOf(source, from), text: '' }
  found.push(literal)
  let at = from + 1
  while (source.charAt(at) !== '`') {
    if (at >= source.length) throw new Error(`a template literal in line ${literal.line} does not end`)
    if (source.startsWith('${', at)) {
      const end = skipCode(scan, at + 2, '}')
      literal.text += source.slice(at, end).replace(/`[^`]*`/g, '…')
      at = end
    } else {
      const length = source.charAt(at) === '\\' ? 2 : 1
      literal.text += source.slice(at, at + length)
      at += length
    }
  }
  return at + 1
}

function readString({ source, found }: Scan, from: number): number {
  let at = from + 1
  while (source.charAt(at) !== source.charAt(from)) {
    if (at >= source.length || source.charAt(at) === '\n')
      throw new Error(`a string in line ${lineOf(source, from)} does not end`)
    at += source.charAt(at) === '\\' ? 2 : 1
  }
  found.push({ line: lineOf(source, from), text: source.slice(from + 1, at) })
  return at + 1
}

function endOf(source: string, text: string, from: number): number {
  const at = source.indexOf(text, from)
  return at < 0 ? source.length : at + text.length
}

/** A slash divides after a value; after anything else it begins a regular expression. */
function beginsRegex(source: string, at: number): boolean {
  const before = source.slice(Math.max(0, at - 40), at).trimEnd()
  return /(^|[(,=:[!&|?{};>+\n]|\breturn|\btypeof)$/.test(before)
}

function endOfRegex(source: string, from: number): number {
  let isInClass = false
  for (let at = from + 1; at < source.length; at += 1) {
    const char = source.charAt(at)
    if (char === '\\') at += 1
    else if (char === '[') isInClass = true
    else if (char === ']') isInClass = false
    else if (char === '/' && !isInClass) return at + 1
  }
  return source.length
}

function lineOf(source: string, at: number): number {
  return source.slice(0, at).split('\n').length
}
