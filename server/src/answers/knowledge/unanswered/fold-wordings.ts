import { plainText } from '../../../platform/text/plain-text.ts'

type Wording = { question: string; times: number }

/** What is compared of a wording, made once: it is compared with every other of its group. */
type Fingerprint = { plain: string; numbers: string; pairs: Uint32Array }

/** Of wordings that are nearly the same, the first stays, with the count of all: a typing error says nothing new. */
export function foldWordings(wordings: Wording[]): Wording[] {
  const folded: { wording: Wording; compared: Fingerprint }[] = []
  for (const { question, times } of wordings) {
    const compared = fingerprintOf(question)
    const same = folded.find((other) => isNearlySame(other.compared, compared))
    if (same) same.wording.times += times
    else folded.push({ wording: { question, times }, compared })
  }
  return folded.map(({ wording }) => wording)
}

function fingerprintOf(question: string): Fingerprint {
  const plain = plainText(question)
  return { plain, numbers: plain.match(/\p{N}+/gu)?.join(' ') ?? '', pairs: pairsOf(plain) }
}

/** Of the pairs of two wordings, so many may be in one of them only. */
const mostUnshared = 0.05

/**
 * Compares by the pairs of letters that they share, wherever they are: also with a letter or two words swapped. Numbers
 * must be the same. It ends at the first pair too many, which for wordings that differ is soon.
 */
function isNearlySame(one: Fingerprint, other: Fingerprint): boolean {
  if (one.plain === other.plain) return true
  if (one.numbers !== other.numbers) return false
  const [{ pairs }, { pairs: others }] = [one, other]
  let left = mostUnshared * (pairs.length + others.length)
  if (Math.abs(pairs.length - others.length) > left) return false
  let [at, otherAt] = [0, 0]
  while (at < pairs.length && otherAt < others.length && left >= 0) {
    const difference = (pairs[at] ?? 0) - (others[otherAt] ?? 0)
    if (difference !== 0) left -= 1
    if (difference <= 0) at += 1
    if (difference >= 0) otherAt += 1
  }
  return left >= pairs.length - at + others.length - otherAt
}

/** The pairs, sorted, each as one number. Within words and their ends, so that the order of words does not count. */
function pairsOf(text: string): Uint32Array {
  const padded = ` ${text} `
  const pairs = new Uint32Array(padded.length - 1)
  for (let at = 0; at < pairs.length; at += 1) {
    pairs[at] = padded.charCodeAt(at) * 65_536 + padded.charCodeAt(at + 1)
  }
  return pairs.sort()
}
