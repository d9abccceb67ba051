import type { ImportEncoding } from '@patchbay/contract/import-fields.ts'

/**
 * The text of a file: UTF-16 if a byte order mark says so, UTF-8 if it is valid, else Windows-1252, as spreadsheets of the
 * West have written CSV for decades. Undefined: it is no text, such as the spreadsheet's own format.
 */
export function decodeFile(bytes: Uint8Array): { text: string; encoding: ImportEncoding } | undefined {
  const [first, second] = bytes
  const utf16 =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined
  const decoded = utf16
    ? { text: new TextDecoder(utf16).decode(bytes), encoding: 'UTF-16' as const }
    : (decodeUtf8(bytes) ?? { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'Windows-1252' as const })
  return decoded.text.includes('\0') ? undefined : { ...decoded, text: decoded.text.toWellFormed() }
}

function decodeUtf8(bytes: Uint8Array): { text: string; encoding: ImportEncoding } | undefined {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' }
  } catch {
    return undefined
  }
}

/** Cuts a text into parts of at most so many characters; a pair that makes one character stays together. */
export function* partsOf(text: string, most: number): Generator<string, void> {
  for (let from = 0; from < text.length; ) {
    const isPair = /[\ud800-\udbff]/.test(text.charAt(from + most - 1))
    const to = from + (isPair ? most - 1 : most)
    yield text.slice(from, to)
    from = to
  }
}
