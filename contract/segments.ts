/** The basic characters of GSM-7, one unit each; those after the break take two. Anything else makes a text Unicode. */
const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const extended = '\f^{}\\[~]|€'
const unitsOf = new Map([
  ...[...basic].map((one) => [one, 1] as const),
  ...[...extended].map((one) => [one, 2] as const),
])

/** How many units a segment has: alone, and as one of several, which are joined on the phone. */
const room = { plain: { alone: 160, joined: 153 }, unicode: { alone: 70, joined: 67 } }

/** What a text is as SMS: what is paid for, and what the pace counts. */
export type SmsSize = {
  segments: number
  units: number
  /** How many units these segments have, and how many of them are free. */
  room: number
  unitsLeft: number
  /** The characters that make it Unicode, each once, in order; none: it is plain. */
  unicode: string[]
}

/** A character of two units is not cut in half: where only one is left in a segment, that one stays empty. */
export function measureSms(text: string): SmsSize {
  const characters = [...text]
  const unicode = [...new Set(characters.filter((one) => !unitsOf.has(one)))]
  const isPlain = unicode.length === 0
  const sizes = characters.map((one) => (isPlain ? (unitsOf.get(one) ?? 0) : one.length))
  const units = sizes.reduce((sum, size) => sum + size, 0)
  const { alone, joined } = isPlain ? room.plain : room.unicode
  if (units <= alone) return { segments: 1, units, room: alone, unitsLeft: alone - units, unicode }
  let [segments, used] = [1, 0]
  for (const size of sizes) {
    const isFull = used + size > joined
    if (isFull) segments += 1
    used = isFull ? size : used + size
  }
  return { segments, units, room: segments * joined, unitsLeft: joined - used, unicode }
}
