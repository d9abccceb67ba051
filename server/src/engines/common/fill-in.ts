import type { CampaignSettings } from '@patchbay/contract/campaigns.ts'

/** What a stored text may name. */
type Names = { firstName: string | null; settings: Pick<CampaignSettings, 'businessName'> }

/**
 * Puts names into a stored text. Where one is missing, it goes together with what led to it, a space, a comma or a
 * preposition: "Hello {{firstName}}, …" becomes "Hello, …", and "Welcome to {{businessName}}!" becomes "Welcome!".
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
 * A first name is what the contact, or whoever sends for them, says it is, and it goes into our words: letters, and not
 * many. Anything else is no name.
 */
function properName(name: string | null): string | undefined {
  const trimmed = name?.trim().replace(/\s+/g, ' ') ?? ''
  return /^[\p{L}\p{M}][\p{L}\p{M}'’. -]{0,39}$/u.test(trimmed) && !/\.\p{L}{2}/u.test(trimmed) ? trimmed : undefined
}
