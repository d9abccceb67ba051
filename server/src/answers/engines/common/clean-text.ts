/** Removes invisible characters that models, filters and browsers read: controls, direction marks, Unicode tags. */
export function withoutInvisible(text: string): string {
  return text
    .replace(/\r\n?|\u2028|\u2029/g, '\n')
    .replace(/[[\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]--[\u200c\u200d\ufe0e\ufe0f]]/gv, '')
    .replace(/(?<!\p{Emoji})[\ufe0e\ufe0f]/gu, '') // variation selectors: only an emoji needs them
    .replace(/[\p{Cc}--[\n\t]]/gv, ' ')
    .replace(/\p{Cs}/gu, '') // lone surrogates
    .replace(/([\u200c\u200d])[\u200c\u200d]+/g, '$1') // one joiner stays: emoji and some scripts need it
    .replace(/(?<=[\x21-\x7e])[\u200c\u200d]|[\u200c\u200d](?=[\x21-\x7e])/g, '')
}

/**
 * Removes HTML elements (scripts with their content) and Markdown images, because displaying an image requests its
 * address. Other angle brackets are text and stay.
 */
export function withoutMarkup(text: string): string {
  const once = text
    .replace(/<!--.*?(-->|$)/gs, ' ')
    .replace(/<(script|style|iframe|object|svg|math|template)\b.*?(<\/\1\s*>|$)/gis, ' ')
    .replace(elements, ' ')
    .replace(/!\[[^\]]*\]\s?(\([^)]*\)|\[[^\]]*\])?/g, ' ')
    .replace(/^[ \t]*\[[^\]]+\]:[ \t]*\S+/gm, ' ')
  return once === text ? text : withoutMarkup(once) // removing one element may have joined the parts of another
}

const names =
  'a|abbr|audio|b|base|body|br|button|code|div|em|embed|font|footer|form|frame|h[1-6]|head|header|hr|html|i|img|input|' +
  'label|li|link|main|meta|nav|ol|option|p|pre|script|section|select|small|source|span|strong|style|sub|sup|table|' +
  'tbody|td|textarea|th|title|tr|u|ul|video|iframe|object|svg|math|template'

const elements = new RegExp(`</?(${names})(?=[\\s/>])[^<>]*>?`, 'gi')

/** Cuts a text to at most so many characters, at the end of a sentence if one is near, else of a word. */
export function cutAtSentence(text: string, mostCharacters: number): string {
  if (text.length <= mostCharacters) return text
  const start = text.slice(0, mostCharacters)
  const sentence = /^.*(?:[.!?…](?=\s)|[。！？\n])/s.exec(start)?.[0].trimEnd() ?? ''
  if (sentence.length > mostCharacters / 2) return sentence
  const words = start.slice(0, -1)
  const word = /^.*(?=\s)/s.exec(words)?.[0] ?? ''
  return `${(word.length > mostCharacters / 2 ? word : words).replace(/[\ud800-\udbff]$/, '').trimEnd()}…`
}
