import { isOfThisMachine } from '../../../ui/origin.ts'

/** The name of a page as it is kept, from what somebody types or pastes: `host`, `*.host`, with a port where it has one. */
export function pageName(typed: string): string | undefined {
  const text = typed.trim()
  const wild = text.startsWith('*.')
  const rest = wild ? text.slice(2) : text
  const url = parse(/^https?:\/\//i.test(rest) ? rest : `https://${rest}`)
  if (!url?.hostname || url.username !== '' || url.hostname.includes('*')) return undefined
  if (!url.hostname.includes('.') && !isOfThisMachine(url.href)) return undefined
  return `${wild ? '*.' : ''}${url.host}`
}

/** The name that lets an origin in; undefined where none does, because it is not https. */
export function nameOfOrigin(origin: string): string | undefined {
  const url = parse(origin)
  if (!url || (url.protocol !== 'https:' && !isOfThisMachine(url.href))) return undefined
  return url.host
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}
