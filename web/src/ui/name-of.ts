/** The name of a contact; null when there is none. */
export function nameOf({ firstName, lastName }: { firstName: string | null; lastName: string | null }): string | null {
  return [firstName, lastName].filter((part) => part?.trim()).join(' ') || null
}
