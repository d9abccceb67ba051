import { limits } from '@patchbay/contract/limits.ts'
import { Refusal } from '../refusal.ts'

// A byte order mark is not stripped: JSON.parse then refuses it, as the JSON standard allows.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses JSON from raw bytes, strictly: nothing is replaced, guessed or cut off. Every string it returns can be stored
 * unchanged: PostgreSQL accepts neither NUL nor a lone surrogate.
 */
export function parseJson(bytes: Buffer): unknown {
  const text = decode(bytes)
  const names = checkShape(text, { depth: limits.jsonDepth, values: limits.jsonValues })
  const value = parse(text)
  // Of two equal names, however they are escaped, JSON.parse keeps only the last, so fewer are left than were written.
  if (countNames(value) !== names) {
    throw new Refusal('INVALID_JSON', 'The body must not name the same field twice in one object.')
  }
  // NUL and lone surrogates can only come from an escape: as raw bytes they are invalid JSON and invalid UTF-8.
  if (text.includes('\\u')) checkStrings(value, '')
  return value
}

/** What a provider posts has many more values than a caller's request. */
const lenient = { depth: 32, values: 200_000 }

/**
 * Parses what a provider of a built-in channel has posted, of which nothing may get lost for how it is written: bytes that are not
 * UTF-8 are replaced, and strings are as they came. Undefined: it is no JSON, or one of a size that nobody means.
 */
export function parseLeniently(bytes: Buffer): unknown {
  const text = bytes.toString('utf8')
  try {
    checkShape(text, lenient)
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new Refusal('INVALID_JSON', 'The body must be JSON in UTF-8.', { cause })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message quotes the body, so it is neither sent nor kept as a cause, which would be logged.
    throw new Refusal('INVALID_JSON', 'The body must be valid JSON.')
  }
}

/**
 * Counts brackets and commas outside strings, so that depth and size are bounded before any recursion. Returns the number
 * of names: that of the colons, if the text is JSON.
 */
function checkShape(text: string, most: { depth: number; values: number }): number {
  let depth = 0
  let values = 0
  let names = 0
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at)
        break
      case openBrace:
      case openBracket:
        depth += 1
        if (depth > most.depth) {
          throw new Refusal('INVALID_JSON', `The body must not be nested deeper than ${most.depth} levels.`)
        }
        break
      case closeBrace:
      case closeBracket:
        depth -= 1
        break
      case comma:
        values += 1
        if (values > most.values) {
          throw new Refusal('INVALID_JSON', `The body must not hold more than ${most.values} values.`)
        }
        break
      case colon:
        names += 1
        break
      default:
    }
  }
  return names
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [34, 92, 123, 125, 91, 93]
const [comma, colon] = [44, 58]

/** Skips from quote to quote, so that a file of megabytes in one string costs almost nothing. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1
  return backslashes % 2 === 1
}

function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let names = 0
  if (Array.isArray(value)) for (const item of value) names += countNames(item)
  else {
    for (const name in value) {
      names += 1
      const item = (value as Record<string, unknown>)[name]
      if (typeof item === 'object') names += countNames(item)
    }
  }
  return names
}

function checkStrings(value: unknown, path: string): void {
  if (typeof value === 'string') checkString(value, path || 'The body')
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) checkStrings(item, `${path}[${index}]`)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      checkString(key, 'A field name')
      checkStrings(item, path === '' ? key : `${path}.${key}`)
    }
  }
}

/** Refuses a string that cannot be stored unchanged. */
function checkString(text: string, name: string): void {
  if (text.includes('\0')) throw new Refusal('INVALID_REQUEST', `${name} must not contain the NUL character.`)
  if (!text.isWellFormed()) throw new Refusal('INVALID_REQUEST', `${name} must not contain half of a character pair.`)
}
