/** The page that a browser says a request comes from. A program writes any: it keeps browsers of others away, and proves nothing. */
export type PageOrigin = { scheme: 'https' | 'http'; host: string; port: string }

/** In lower case and punycode, as pages are stored. Undefined: no origin of a page on the web. */
export function readOrigin(text: string | undefined): PageOrigin | undefined {
  const parts = /^(https?):\/\/[^/?#@\\\s]+$/i.exec(text ?? '')
  const url = parts && URL.parse(parts[0])
  if (!url) return undefined
  const scheme = url.protocol === 'https:' ? 'https' : 'http'
  return { scheme, host: url.hostname, port: url.port || usualPort[scheme] }
}

const usualPort = { https: '443', http: '80' }

/** Whether one of these pages is there: `host`, or `*.host` for all names below it, with a port where it is not that of the scheme. */
export function isOnPages(pages: readonly string[], { scheme, host, port }: PageOrigin): boolean {
  if (scheme === 'http' && !isLoopbackName(host)) return false
  return pages.some((page) => {
    const [, wildcard, name = '', ownPort = usualPort[scheme]] = pageForm.exec(page) ?? []
    if (ownPort !== port || name === '') return false
    return wildcard ? host.endsWith(`.${name}`) && host.length > name.length + 1 : host === name
  })
}

const pageForm = /^(\*\.)?(\[[0-9a-f:.]+\]|[^:/*\s]+)(?::(\d{1,5}))?$/

/** Names that lead nowhere but to the machine itself, where nothing needs a certificate. */
function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** As it is shown and added to the pages. */
export function pageOf({ scheme, host, port }: PageOrigin): string {
  return port === usualPort[scheme] ? host : `${host}:${port}`
}
