/** "Refund" and "refund " are one tag. PostgreSQL takes no NUL, and no stored text has one. */
export function normalTag(text: string): string {
  return text.replaceAll('\0', '').normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase()
}
