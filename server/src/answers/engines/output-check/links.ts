import { hostLetters, isDomain, spokenEndings, wellKnownEndings } from './domain-endings.ts'
import { normalizeText } from './normalize-text.ts'

/** A web or e-mail address in a text, in whatever spelling. */
type Link = { start: number; end: number; key: string }

/** The addresses in texts, normalized as `removeLinks` compares them; for a URL also its host alone. */
export function linksOf(texts: string[]): Set<string> {
  const keys = texts.flatMap((text) => linksIn(text).map(({ key }) => key))
  return new Set([...keys, ...keys.filter((key) => !key.includes('@')).map((key) => key.split(/[/?#]/, 1)[0] ?? '')])
}

export function hasLinks(text: string): boolean {
  return linksIn(text).length > 0
}

/**
 * Removes every address that is not known: a full URL, a bare domain, an e-mail address, and the spellings that people
 * use to get past filters. The result has no unknown address, or it is empty.
 */
export function removeLinks(text: string, known: Set<string>): { text: string; removed: number } {
  let rest = text
  let removed = 0
  for (let round = 0; round < mostRounds; round += 1) {
    const foreign = linksIn(rest).filter(({ key }) => !known.has(key))
    if (foreign.length === 0) return { text: rest, removed }
    removed += foreign.filter((link) => !isBehindSymbol(link, known)).length
    for (const link of foreign.toReversed()) {
      const { start, end } = link
      // A space stays, so that the text around a removed address does not join to a new one.
      const replacement = isBehindSymbol(link, known) ? rest.slice(start, end).replace(leadingSymbols, '$& ') : ' '
      rest = `${rest.slice(0, start)}${replacement}${rest.slice(end)}`
    }
    rest = tidy(rest)
  }
  return { text: '', removed }
}

const mostRounds = 5

/** An emoji before a known address, as in 👉shop.example, is not part of the domain; a space is put between them. */
function isBehindSymbol({ key }: Link, known: Set<string>): boolean {
  const [symbols = ''] = leadingSymbols.exec(key) ?? []
  return symbols !== '' && known.has(key.slice(symbols.length))
}

/** Replaces every address by a NUL character, which no other text has. */
export function maskLinks(text: string): string {
  let rest = text
  for (const { start, end } of linksIn(text).toReversed()) rest = `${rest.slice(0, start)}\0${rest.slice(end)}`
  return rest
}

const tail = String.raw`[\x21\x23-\x3b\x3d\x3f-\x5f\x61-\x7e]` // visible ASCII without quotes and angle brackets
const authority = String.raw`[^\s/?#<>"。，、！？；：）】」』]+` // Chinese has no space after an address
const label = String.raw`[${hostLetters}](?:[${hostLetters}_\-]{0,61}[${hostLetters}])?`
const dot = String.raw`(?:\.|\s?[\[({（]\s?(?:\.|dot|punkt|punto|point)\s?[\])}）]\s?)`
const at = String.raw`(?:@|\s?[\[({（]\s?(?:@|at)\s?[\])}）]\s?)`
const host = `${label}(?:${dot}${label}){0,9}`
/** An address does not start in the middle of a word: the search has tried it from its beginning already. */
const start = `(?<![${hostLetters}])`
const spoken = `(?:${spokenEndings.join('|')})`

const patterns = [
  String.raw`h(?:tt|xx|\*\*)ps?\s?[\[(]?[:：][\])]?\s?/\s?/[\s/]{0,4}${authority}(?:[/?#]${tail}*)?`,
  String.raw`\b[a-z][a-z0-9+.\-]{1,20}[:：]//${authority}(?:[/?#]${tail}*)?`,
  String.raw`\b(?:javascript|vbscript|data|blob|file|mailto|tel|sms|skype|tg|whatsapp|intent|magnet)[:：]${tail}+`,
  String.raw`${start}[\p{L}\p{N}._%+'\-]{1,64}${at}${host}`,
  String.raw`${start}[\p{L}\p{N}._%+\-]{1,64}\s{1,3}at\s{1,3}${label}(?:\s{1,3}dot\s{1,3}${label}){1,4}`,
  String.raw`\bwww\s?\.\s?${tail}+`,
  String.raw`\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:[/?#]${tail}*)?(?![\d.]*\d)`,
  String.raw`${start}(?<domain>${label}(?:${dot}${label}){0,9})${dot}(?<ending>(?:xn--[a-z0-9\-]+|\p{L}[\p{L}\p{M}]{1,23}))(?![\p{L}\p{N}])(?<rest>(?::\d+)?(?:[/?#]${tail}*)?)`,
  String.raw`${start}${label}(?:[.。]${label}){0,9}。(?:xn--[a-z0-9\-]+|${wellKnownEndings})(?![\p{L}\p{N}])(?:[/?#]${tail}*)?`,
  String.raw`${start}${label}(?:\s{1,3}\.\s{0,3}|\s{1,3}dot\s{1,3}|\.\s{1,3}(?=com\b|net\b|org\b|xyz\b))${spoken}\b(?:/${tail}*)?`,
]

/** Emoji and other symbols before the first letter. */
const leadingSymbols = /^[^\p{L}\p{N}@._%+'\-:/]+(?=[\p{L}\p{N}])/u

const anyLink = new RegExp(patterns.map((pattern) => `(?:${pattern})`).join('|'), 'giu')

function linksIn(original: string): Link[] {
  const { text, originalOffset } = normalizeText(original)
  const links: Link[] = []
  anyLink.lastIndex = 0
  for (let found = anyLink.exec(text); found !== null; found = anyLink.exec(text)) {
    const { domain, ending, rest } = found.groups ?? {}
    if (ending !== undefined && domain !== undefined && !isDomain(`${domain}.${ending}`, rest !== '')) {
      anyLink.lastIndex = found.index + domain.length // an address may begin inside the rejected match
      continue
    }
    const link = trimEnd(found[0])
    anyLink.lastIndex = found.index + link.length
    const [start, end] = [originalOffset(found.index), originalOffset(found.index + link.length)]
    links.push({ start, end, key: keyOf(link) })
  }
  return links
}

/** Removes punctuation that belongs to the sentence around an address. */
function trimEnd(link: string): string {
  const signs = link.includes('(') ? /[.,;:!?'*_~]+$/ : /[.,;:!?'*_~)\]}]+$/
  return link.replace(signs, '')
}

/** Only the part after the host is case-sensitive. The scheme is dropped: http and https lead to the same host. */
function keyOf(link: string): string {
  const plain = link
    .replace(/\s+dot\s+|\s?[[({（]\s?(?:\.|dot|punkt|punto|point)\s?[\])}）]\s?|\s*[.。]\s*/gi, '.')
    .replace(/\s+at\s+|\s?[[({（]\s?(?:@|at)\s?[\])}）]\s?/gi, '@')
    .replace(/\s+/g, '')
    .replace(/^(?:h(?:tt|xx|\*\*)ps?[[(]?[:：][\])]?\/{2,6})?(?:www\.)?|^mailto[:：]/i, '')
  const [, start = '', rest = ''] = /^([^/?#]*)(.*)$/s.exec(plain) ?? []
  return start.normalize('NFKC').toLowerCase() + rest.replace(/\/$/, '')
}

function tidy(text: string): string {
  return text
    .replace(/\[([^\]]*)\]\(\s*\)/g, ' $1 ')
    .replace(/[([<{]\s*[)\]>}]/g, ' ')
    .replace(/[ \t]+/g, ' ')
    .replace(/ (?=[.,;:!?](\s|$))/g, '')
    .trim()
}
