import { blankLinks } from './links.ts'

const longestRun = 40
/** The same without spaces and signs, so that neither hides a run. */
const longestRunOfLetters = 32

/**
 * Whether a text repeats a run of 40 characters or more of what the model was told. What the business says to everybody
 * anyway (`open`) may be repeated, and addresses are judged elsewhere.
 */
export function repeatsInstructions(text: string, instructions: string[], open: string[]): boolean {
  return (
    sharesRun(text, { instructions, open, view: inOneLine, length: longestRun }) ||
    sharesRun(text, { instructions, open, view: lettersOnly, length: longestRunOfLetters })
  )
}

type Comparison = { instructions: string[]; open: string[]; view: (text: string) => string; length: number }

function sharesRun(text: string, { instructions, open, view, length }: Comparison): boolean {
  const kept = new Set(instructions.flatMap((secret) => runsOf(view(secret), length)))
  for (const run of open.flatMap((known) => runsOf(view(known), length))) kept.delete(run)
  return runsOf(view(text), length).some((run) => kept.has(run))
}

function runsOf(text: string, length: number): string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length))
}

function inOneLine(text: string): string {
  return blankLinks(text).normalize('NFKC').toLowerCase().replace(/\s+/g, ' ')
}

function lettersOnly(text: string): string {
  return inOneLine(text).replace(/[^\p{L}\p{N}\0]/gu, '')
}
