/** What came in over a channel and could not be read. */
export const rawWords = {
  title: 'Not understood',
  says: 'What came in and has no place here yet. Kept as it came for 14 days, so that nothing vanishes.',
  ownerOnly: 'Owners of the account see here what came in and could not be read.',
  columns: { at: 'At', why: 'Why', size: 'Size' },
  characters: (count: number) => (count === 1 ? '1 character' : `${count.toLocaleString()} characters`),
  none: 'Nothing so far.',
  copy: 'Copy what came',
  cut: (shown: number, all: number) => `The first ${shown.toLocaleString()} of ${all.toLocaleString()} characters.`,
  counted: 'Only counted:',
  times: (why: string, times: number) => `${why}, ${times === 1 ? 'once' : `${times.toLocaleString()} times`}, last`,
} as const
