const list = new Intl.ListFormat('en', { type: 'conjunction' })

/** The words of the line that counts segments. */
export const segmentWords = {
  of: (room: number) => `of ${room}`,
  segments: (count: number) => (count === 1 ? '1 segment' : `${count} segments`),
  unicode: 'Unicode',
  because: 'because of',
  without: (count: number, segments: number) => `Without ${count === 1 ? 'it' : 'them'} ${segments}.`,
  /** `of`: how many signs cost, of which these have a plain one. */
  makePlain: (signs: readonly string[], of: number) =>
    signs.length < of ? `Make ${list.format(signs)} plain` : of === 1 ? 'Make it plain' : 'Make them plain',
  list: (parts: readonly string[]) => list.formatToParts(parts),
  more: (count: number) => `${count} more`,
  /** Of a sign that nobody sees, such as a space that does not break. */
  nameOf: (sign: string) => `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
} as const
