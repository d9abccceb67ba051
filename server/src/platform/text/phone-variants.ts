/**
 * Countries where one telephone has two numbers in use: people and providers write one or the other. What follows the country code
 * alone tells them apart.
 */
const forms: { short: RegExp; long: RegExp; prefix: string; added: string }[] = [
  // Brazil: mobile numbers have got a ninth digit, which some networks still leave out. Those of landlines begin with 2 to 5.
  { short: /^\+55(\d\d)([6-9]\d{7})$/, long: /^\+55(\d\d)9([6-9]\d{7})$/, prefix: '+55', added: '9' },
  // Argentina: mobile numbers have a 9 when they are called from abroad.
  { short: /^\+54()([1-8]\d{9})$/, long: /^\+549()([1-8]\d{9})$/, prefix: '+54', added: '9' },
  // Mexico: mobile numbers had a 1 until 2019.
  { short: /^\+52()([2-9]\d{9})$/, long: /^\+521()([2-9]\d{9})$/, prefix: '+52', added: '1' },
]

/** The numbers by which the telephone with this one may be known: itself first. They are looked up, and none is ever rewritten. */
export function phoneVariants(phone: string): string[] {
  for (const { short, long, prefix, added } of forms) {
    const isLong = long.exec(phone)
    if (isLong) return [phone, `${prefix}${isLong[1]}${isLong[2]}`]
    const isShort = short.exec(phone)
    if (isShort) return [phone, `${prefix}${isShort[1]}${added}${isShort[2]}`]
  }
  return [phone]
}
