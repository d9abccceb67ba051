/** "Refund" and "refund " are one tag. */
export function normalTag(text: string): string {
  return text.normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase()
}
