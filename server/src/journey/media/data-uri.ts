import { limits } from '@patchbay/contract/limits.ts'
import { Refusal } from '../../platform/refusal.ts'

/** Whether this is meant as a data URI, valid or not. */
export function isDataUri(text: string): boolean {
  return text.slice(0, 5).toLowerCase() === 'data:'
}

/** Splits a data URI into the type it declares, with parameters, and its data, not decoded yet. */
export function splitDataUri(uri: string): { contentType: string; data: string } {
  const head = uri.slice(0, headCharacters)
  const comma = head.indexOf(',')
  const [contentType = '', ...rest] = head.slice('data:'.length, Math.max(comma, 0)).split(';')
  const encoding = rest.pop()?.toLowerCase()
  if (comma === -1 || contentType === '' || encoding !== 'base64') {
    throw new Refusal('INVALID_REQUEST', 'customData.mediaUrl as a data URI must be data:<type>;base64,<data>.')
  }
  return { contentType: [contentType, ...rest].join(';'), data: uri.slice(comma + 1) }
}

/** Longest type with parameters: in a longer text, the comma is not searched for. */
const headCharacters = 1_024

/**
 * Decodes base64 strictly: the alphabet of RFC 4648, padded, no white space and no unused bits. The size is checked by
 * the length of the text, before anything is decoded.
 */
export function decodeBase64(data: string): Buffer {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  const sizeBytes = Math.floor((data.length * 3) / 4) - padding
  if (sizeBytes > limits.mediaBytes) {
    const most = limits.mediaBytes / 1024 / 1024
    throw new Refusal('INVALID_REQUEST', `customData.mediaUrl must hold at most ${most} MiB. Send a smaller file.`)
  }
  if (data === '') throw new Refusal('INVALID_REQUEST', 'customData.mediaUrl must hold a file that is not empty.')
  const bytes = data.length % 4 === 0 ? decodeStrictly(data) : undefined
  // The decoder skips white space and nothing else; then the file is shorter than the length of the text says.
  if (bytes?.length !== sizeBytes) {
    throw new Refusal(
      'INVALID_REQUEST',
      'customData.mediaUrl must hold base64 with + and /, padded with =, and no white space. Encode the file again.',
    )
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

function decodeStrictly(data: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(data, { alphabet: 'base64', lastChunkHandling: 'strict' })
  } catch {
    return undefined
  }
}
