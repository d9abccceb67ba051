/** Endings that nobody writes by accident, also apart from their domain: "example dot com". */
export const spokenEndings = ['com', 'net', 'org', 'info', 'biz', 'xyz', 'io', 'co', 'app', 'dev', 'ru', 'cn', 'top']

const wellKnown = new Set([
  ...spokenEndings,
  ...['edu', 'gov', 'mil', 'int', 'site', 'online', 'shop', 'store', 'club', 'link', 'click', 'live', 'page', 'cloud'],
  ...['de', 'uk', 'fr', 'es', 'it', 'nl', 'eu', 'us', 'ca', 'br', 'jp', 'kr', 'tk', 'ml', 'ga', 'cf', 'gq', 'pw', 'cc'],
  ...[
    'рф',
    'укр',
    'бел',
    'срб',
    '中国',
    '中國',
    '公司',
    '网络',
    '在线',
    '网站',
    '香港',
    '台湾',
    'भारत',
    'مصر',
    'ایران',
  ],
  ...['السعودية', 'امارات', 'ไทย', '한국', 'みんな', 'コム', 'קום', 'ελ', 'бг', 'мкд', 'мон', 'қаз', 'հայ', 'გე'],
])

/** Files, which no client turns into a link. */
const files = new Set([
  ...['pdf', 'jpg', 'jpeg', 'png', 'gif', 'webp', 'svg', 'doc', 'docx', 'xls', 'xlsx', 'ppt', 'pptx', 'odt', 'txt'],
  ...['csv', 'html', 'htm', 'xml', 'json', 'mp3', 'wav', 'avi', 'mkv', 'exe', 'apk', 'dmg', 'ics', 'vcf', 'eml', 'php'],
])

/**
 * Whether `domain.ending` is an address, or only two words that a full stop parts. In doubt it is one: a word too few in
 * a reply is better than a way out.
 */
export function isDomainEnding(ending: string, domain: string, hasPath: boolean): boolean {
  const lower = ending.toLowerCase()
  if (hasPath || lower.startsWith('xn--')) return true
  const isNumber = /^[\d.]+$/.test(domain)
  const beginsSentence = ending !== lower && ending !== ending.toUpperCase()
  if (/^[a-z]{2}$/.test(lower)) return isRegion(lower) && !isNumber && !beginsSentence
  if (wellKnown.has(lower)) return true
  return /^[a-z]+$/.test(lower) && !files.has(lower) && !beginsSentence && !isNumber
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** The endings of two letters are the codes of countries, and these are the ones that exist. */
function isRegion(code: string): boolean {
  return regions.of(code.toUpperCase()) !== undefined
}
