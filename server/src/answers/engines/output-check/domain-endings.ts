/** Top-level domains that are unlikely by accident, also when written apart from their domain: "example dot com". */
export const spokenEndings = ['com', 'net', 'org', 'info', 'biz', 'xyz', 'io', 'co', 'app', 'dev', 'ru', 'cn', 'top']

const wellKnown = new Set([
  ...spokenEndings,
  ...`edu gov mil int site online shop store club link click live page cloud
  de uk fr es it nl eu us ca br jp kr tk ml ga cf gq pw cc
  рф укр бел срб 中国 中國 公司 网络 在线 网站 香港 台湾 भारत مصر ایران
  москва онлайн сайт орг ком дети рус 商店 网店 移动 世界 我爱你 中文网 商城
  السعودية امارات ไทย 한국 みんな コム קום ελ бг мкд мон қаз հայ გე`.split(/\s+/),
])

/** The well-known ones as a pattern. */
export const wellKnownEndings = `(?:${[...wellKnown].join('|')})`

/**
 * The characters of a domain label, for a pattern: letters with their marks, digits, and the symbols that browsers
 * accept too (i❤.ws).
 */
export const hostLetters = String.raw`\p{L}\p{N}\p{M}\p{So}\p{Extended_Pictographic}\p{Emoji_Modifier}`

/** File extensions, which no client turns into a link. */
const files = new Set(
  `pdf jpg jpeg png gif webp svg doc docx xls xlsx ppt pptx odt txt
  csv html htm xml json mp3 wav avi mkv exe apk dmg ics vcf eml php`.split(/\s+/),
)

/**
 * Whether words with full stops between them are a domain, or the end of one sentence and the start of the next. When
 * unclear they count as a domain: losing a word of a reply is better than letting an address through.
 */
export function isDomain(text: string, hasPath: boolean): boolean {
  const [first = '', ...others] = text.split(betweenLabels)
  if (hasPath) return true
  // "Good 👍.see you" is more likely two sentences than a domain whose label is one emoji.
  if (!/[\p{L}\p{N}]/u.test(first)) return others.some((ending) => isWellKnown(ending))
  const isNumber = /^[\d.]+$/.test(first) && others.length === 1
  return others.some((ending) => isEnding(ending, isNumber))
}

const betweenLabels = new RegExp(`[^${hostLetters}_-]+`, 'u')

function isWellKnown(ending: string): boolean {
  return wellKnown.has(ending) || ending.startsWith('xn--') || (/^[a-z]{2}$/.test(ending) && isRegion(ending))
}

function isEnding(ending: string, isOfNumber: boolean): boolean {
  const lower = ending.toLowerCase()
  if (lower.startsWith('xn--')) return true
  const beginsSentence = ending !== lower && ending !== ending.toUpperCase()
  if (/^[a-z]{2}$/.test(lower)) return isRegion(lower) && !isOfNumber && !beginsSentence
  if (wellKnown.has(lower)) return true
  return /^[a-z]{3,}$/.test(lower) && !files.has(lower) && !beginsSentence && !isOfNumber
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** Top-level domains of two letters are country codes; only the existing ones count. */
function isRegion(code: string): boolean {
  return regions.of(code.toUpperCase()) !== undefined
}
