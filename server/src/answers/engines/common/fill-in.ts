import type { CampaignSettings } from '@patchbay/contract/campaigns.ts'

/** The values of the placeholders. */
type Names = { firstName: string | null; settings: Pick<CampaignSettings, 'businessName'> }

/**
 * Fills the placeholders of a stored text. One without a value is removed together with the space, comma or preposition
 * before it: "Hello {{firstName}}, …" becomes "Hello, …", and "Welcome to {{businessName}}!" becomes "Welcome!".
 */
export function fillIn(text: string, { firstName, settings: { businessName } }: Names): string {
  const names = { firstName: properName(firstName), businessName: businessName?.trim() || undefined }
  return text.replace(placeholder, (whole, lead: string, name: 'firstName' | 'businessName', ...rest) => {
    const [after, next, offset] = rest as [string, string, number]
    const value = names[name]
    if (value !== undefined) return whole.replace(/\{\{.*\}\}/s, () => value)
    const beginsLine = offset === 0 || text[offset - 1] === '\n'
    if (beginsLine) return next.toUpperCase()
    return lead === '' ? next : `${after}${next}`
  })
}

const prepositions = 'to|at|from|with|by|of|bei|von|zu|mit|an|en|de|a|con|chez|avec|em|com|da|di|presso'
const placeholder = new RegExp(
  `((?: ?(?<![^ ,\\n])(?:${prepositions.replace(/\b\w/g, (letter) => `[${letter}${letter.toUpperCase()}]`)}))?,? ?)` +
    `\\{\\{ ?(firstName|businessName) ?\\}\\}([,:]? ?)(\\p{Ll}?)`,
  'gu',
)

/**
 * A first name is untrusted input that becomes part of our reply, so only letters, a few signs and up to four digits, too
 * few for a phone number, are allowed, up to 40 characters. Anything else counts as no name.
 */
function properName(name: string | null): string | undefined {
  const trimmed = name?.trim().replace(/\s+/g, ' ') ?? ''
  const isName = /^[\p{L}\p{M}][\p{L}\p{M}\p{Nd}'’. -]{0,39}$/u.test(trimmed)
  const isElse = /\.[\p{L}\p{Nd}]{2}|(?:\p{Nd}\P{Nd}*){5}/u.test(trimmed) // an address, or a number
  return isName && !isElse ? trimmed : undefined
}
