import { maskLinks } from './links.ts'

const characters = 40
/** Texts are compared without spaces and signs, so that neither can hide a repetition. */
const lettersAndDigits = 32

/**
 * Whether a text has 40 consecutive characters of the instructions. Public texts of the business may be repeated, and
 * addresses are masked: `removeLinks` handles them.
 */
export function repeatsInstructions(text: string, instructions: string[], publicTexts: string[]): boolean {
  return (
    sharesNgram(text, { instructions, publicTexts, normalize: inOneLine, length: characters }) ||
    sharesNgram(text, { instructions, publicTexts, normalize: withoutSigns, length: lettersAndDigits })
  )
}

type Comparison = {
  instructions: string[]
  publicTexts: string[]
  normalize: (text: string) => string
  length: number
}

function sharesNgram(text: string, { instructions, publicTexts, normalize, length }: Comparison): boolean {
  const forbidden = new Set(instructions.flatMap((instruction) => ngramsOf(normalize(instruction), length)))
  const shared = ngramsOf(normalize(text), length).filter((ngram) => forbidden.has(ngram))
  if (shared.length === 0) return false // as nearly always: the public texts, all entries of a prompt, are not read
  const known = publicTexts.map(normalize)
  return shared.some((ngram) => !known.some((publicText) => publicText.includes(ngram)))
}

function ngramsOf(text: string, length: number): string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length))
}

function inOneLine(text: string): string {
  return maskLinks(text).normalize('NFKC').toLowerCase().replace(/\s+/g, ' ')
}

function withoutSigns(text: string): string {
  return inOneLine(text).replace(/[^\p{L}\p{N}\0]/gu, '')
}
