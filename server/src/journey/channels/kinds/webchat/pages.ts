import { Refusal } from '../../../../platform/refusal.ts'

/** A page's host as people write it, perhaps with what stands before and after it in the address bar. */
const written = /^(?:(https?):\/\/)?(\*\.)?([^*/?#@\s\\]+)\/?$/i

/**
 * Pages that a chat may be on, as browsers name them: in lower case and punycode, without the port of their scheme. `*.host` is
 * every name below a host. Throws Refusal, naming the one that is none.
 */
export function readPages(given: readonly string[]): string[] {
  const pages = [...new Set(given.map(readPage))]
  if (pages.length > 0) return pages
  throw refuse('settings.pages must name at least one page that the chat may be on, such as shop.example.')
}

function readPage(text: string): string {
  const [, scheme, star = '', host = ''] = written.exec(text.trim()) ?? []
  const url = host === '' ? null : URL.parse(`https://${host}`)
  if (url?.pathname !== '/') throw refuse(sayUnreadable(text.trim()))
  const name = url.hostname.replace(/\.$/, '')
  const isHere = isLoopbackName(name)
  if (scheme?.toLowerCase() === 'http' && !isHere) {
    throw refuse(
      `settings.pages: ${text} is not read by https. Only a page of this machine, such as localhost:3000, may do without.`,
    )
  }
  if (star !== '' && !mayBeAbove(name)) {
    throw refuse(
      `settings.pages: ${text} would be pages of very many others. Name a host of yours, such as *.shop.example.`,
    )
  }
  const port = url.port === '' || (isHere && url.port === '80') ? '' : `:${url.port}`
  return `${star}${name}${port}`
}

function sayUnreadable(text: string): string {
  if (text === '*' || text === '*.')
    return 'settings.pages must name hosts: with * anybody could put the chat on a page.'
  return `settings.pages: "${text}" is no host. Write it as shop.example, *.shop.example or localhost:3000, without a path.`
}

/** Whether all names below this one may be of one owner; nobody owns the names below a top level, and an address has none. */
function mayBeAbove(name: string): boolean {
  if (/^\[|^[\d.]+$/.test(name)) return false
  return name.includes('.') || isLoopbackName(name)
}

/** Names of the machine that asks. */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d+){3}$/.test(name)
}

/** Without the port. */
export function isLoopbackPage(page: string): boolean {
  return isLoopbackName(page.replace(/^\*\./, '').replace(/:\d+$/, ''))
}

/** Whether an address is on one of these pages. Only those of this machine do without https. */
export function isOnPages(address: string, pages: readonly string[]): boolean {
  const url = URL.parse(address)
  if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackName(url.hostname)))) return false
  return pages.some((page) => (page.startsWith('*.') ? url.host.endsWith(page.slice(1)) : url.host === page))
}

function refuse(sentence: string): Refusal {
  return new Refusal('INVALID_REQUEST', sentence)
}
