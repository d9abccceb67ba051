import { limits } from '@patchbay/contract/limits.ts'
import { Refusal } from './refusal.ts'

// A byte order mark is not stripped: JSON.parse then refuses it, as the JSON standard lets it.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads JSON from raw bytes, strictly: nothing is replaced, guessed or cut. Every string it returns can be
 * stored as it is, for PostgreSQL takes neither NUL nor half a character.
 */
export function parseJson(bytes: Buffer): unknown {
  const text = decode(bytes)
  checkShape(text)
  const value = parse(text)
  // Both can only come from an escape: as raw bytes they are invalid JSON and invalid UTF-8.
  if (text.includes('\\u')) checkStrings(value, '')
  return value
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
    // The parser's own words are not passed on, nor kept as a cause: they quote the body.
    throw new Refusal('INVALID_JSON', 'The body must be valid JSON.')
  }
}

/** Counts brackets and commas outside strings, so that depth and size are known before anything recursive starts. */
function checkShape(text: string): void {
  let depth = 0
  let values = 0
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at)
        break
      case openBrace:
      case openBracket:
        depth += 1
        if (depth > limits.jsonDepth) {
          throw new Refusal('INVALID_JSON', `The body must not be nested deeper than ${limits.jsonDepth} levels.`)
        }
        break
      case closeBrace:
      case closeBracket:
        depth -= 1
        break
      case comma:
        values += 1
        if (values > limits.jsonValues) {
          throw new Refusal('INVALID_JSON', `The body must not hold more than ${limits.jsonValues} values.`)
        }
        break
      default:
    }
  }
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma] = [34, 92, 123, 125, 91, 93, 44]

/** Leaps from quote to quote, so that a file of megabytes inside one string costs next to nothing. */
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

/** Refuses text that cannot be stored unchanged. */
function checkString(text: string, name: string): void {
  if (text.includes('\0')) throw new Refusal('INVALID_REQUEST', `${name} must not contain the NUL character.`)
  if (!text.isWellFormed()) throw new Refusal('INVALID_REQUEST', `${name} must not contain half of a character pair.`)
}
