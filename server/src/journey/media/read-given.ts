import { limits } from '@patchbay/contract/limits.ts'
import { Refusal } from '../../platform/refusal.ts'
import { mismatchOf } from './check-content.ts'
import { commonName, essenceOf } from './content-type.ts'
import { decodeBase64, isDataUri, splitDataUri } from './data-uri.ts'

export type GivenMedia =
  | { kind: 'inline'; contentType: string; bytes: Buffer }
  | { kind: 'remote'; contentType: string; url: string }

/**
 * Reads the file of a message, inline or by its address, or refuses it. An address is only parsed here: whether it is
 * allowed is checked when it is fetched. The content type is stored without parameters, in lower case.
 */
export async function readGivenMedia(
  mediaUrl: string | undefined,
  mediaContentType: string | undefined,
): Promise<GivenMedia | undefined> {
  if (mediaUrl === undefined) return undefined
  const contentType = readContentType(mediaContentType)
  if (!isDataUri(mediaUrl)) return { kind: 'remote', contentType, url: readAddress(mediaUrl) }
  const { contentType: declared, data } = splitDataUri(mediaUrl)
  requireSameType(declared, contentType)
  const bytes = decodeBase64(data)
  const mismatch = await mismatchOf(bytes, contentType)
  if (mismatch === undefined) return { kind: 'inline', contentType, bytes }
  throw new Refusal(
    'INVALID_REQUEST',
    `The file in customData.mediaUrl is not ${contentType}: ${mismatch}. ` +
      'Name its real type in customData.mediaContentType, or send another file.',
  )
}

function readContentType(text: string | undefined): string {
  if (text === undefined) {
    throw new Refusal(
      'INVALID_REQUEST',
      'customData.mediaContentType is required with customData.mediaUrl: name the type of the file, such as image/png.',
    )
  }
  const essence = essenceOf(text)
  if (essence !== undefined) return essence
  throw new Refusal('INVALID_REQUEST', 'customData.mediaContentType must be a MIME type, such as image/png.')
}

function requireSameType(declared: string, contentType: string): void {
  const essence = essenceOf(declared)
  if (essence === undefined) {
    throw new Refusal('INVALID_REQUEST', 'customData.mediaUrl must name a MIME type after data:, such as image/png.')
  }
  if (commonName(essence) === commonName(contentType)) return
  throw new Refusal(
    'INVALID_REQUEST',
    `customData.mediaUrl is declared as ${essence} and customData.mediaContentType as ${contentType}: ` +
      'name the same type in both.',
  )
}

function readAddress(text: string): string {
  if (text.length > limits.urlCharacters) {
    throw new Refusal('INVALID_REQUEST', `customData.mediaUrl must be at most ${limits.urlCharacters} characters long.`)
  }
  const url = addressShape.test(text) ? URL.parse(text) : null
  if (url !== null && url.href.length <= limits.urlCharacters) return url.href
  throw new Refusal(
    'INVALID_REQUEST',
    'customData.mediaUrl must be an http or https address without a user name, or data:<type>;base64,<data>.',
  )
}

/** Excludes what a URL parser would silently correct: missing slashes, backslashes, white space; and user names. */
const addressShape = /^https?:\/\/[^\s\\/?#@]+([/?#][^\s\\]*)?$/i
