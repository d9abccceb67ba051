import type { TurnInput } from './engine.ts'

/** Puts the names into a stored text. A name that is not known goes with the space before it: "Hello {{firstName}}!" */
export function fillIn(text: string, { firstName, settings }: Pick<TurnInput, 'firstName' | 'settings'>): string {
  return text
    .replace(/ ?\{\{\s*firstName\s*\}\}/g, (found) => put(found, firstName))
    .replace(/ ?\{\{\s*businessName\s*\}\}/g, (found) => put(found, settings.businessName))
}

function put(found: string, name: string | null): string {
  if (name === null || name.trim() === '') return ''
  return (found.startsWith(' ') ? ' ' : '') + name.trim()
}
