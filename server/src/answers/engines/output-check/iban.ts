/** The IBANs in a text: in one piece or in groups, in upper or lower case, with valid check digits. */
export function ibansIn(text: string): { start: number; end: number; key: string }[] {
  const found: { start: number; end: number; key: string }[] = []
  candidate.lastIndex = 0
  for (let match = candidate.exec(text); match !== null; match = candidate.exec(text)) {
    const iban = readIban(match[0])
    // The match may include words after the IBAN, and another IBAN may begin among them.
    candidate.lastIndex = match.index + (iban?.length ?? 2)
    if (iban) found.push({ start: match.index, end: match.index + iban.length, key: iban.key })
  }
  return found
}

const candidate = /(?<![\p{L}\p{N}])[a-z]{2}[ \-.]?\d[ \-.]?\d(?:[ \-.]{0,2}[a-z0-9]){11,30}/giu

/** Reads as many letters and digits as the country's IBANs have; undefined when the check digits are wrong. */
function readIban(text: string): { key: string; length: number } | undefined {
  const country = text.slice(0, 2).toUpperCase()
  const wanted = lengths.get(country)
  let key = ''
  let length = 0
  while (length < text.length && key.length < (wanted ?? 0)) {
    if (/[a-z0-9]/i.test(text[length] ?? '')) key += text[length]?.toUpperCase()
    length += 1
  }
  if (wanted === undefined || key.length < wanted || remainder(key.slice(4) + key.slice(0, 4)) !== 1) return undefined
  return { key, length }
}

/** The remainder modulo 97, with A as 10 up to Z as 35. */
function remainder(text: string): number {
  return [...text].reduce((rest, letter) => {
    const value = Number.parseInt(letter, 36)
    return (rest * (value > 9 ? 100 : 10) + value) % 97
  }, 0)
}

const lengths = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
    'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 ' +
    'LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 ' +
    'PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
)
