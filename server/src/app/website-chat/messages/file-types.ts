import { isUtf8 } from 'node:buffer'
import { detectedType } from '../../../journey/media/check-content.ts'

/** What visitors may send, by what the bytes are: the type that is stored for each that is found. */
const allowed: Record<string, string> = {
  'image/jpeg': 'image/jpeg',
  'image/png': 'image/png',
  'image/webp': 'image/webp',
  'image/gif': 'image/gif',
  'application/pdf': 'application/pdf',
  'audio/mpeg': 'audio/mpeg',
  'audio/x-m4a': 'audio/mp4',
  'audio/mp4': 'audio/mp4',
  'audio/ogg': 'audio/ogg',
  'audio/opus': 'audio/ogg',
  'video/ogg': 'video/ogg',
  'application/ogg': 'audio/ogg',
  'video/webm': 'video/webm',
  'audio/webm': 'audio/webm',
  'video/mp4': 'video/mp4',
  'video/x-m4v': 'video/mp4',
}

/** Pictures that are shown in a chat: formats with pixels and no script. */
const pictures = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif'])

export const isShownPicture = (contentType: string) => pictures.has(contentType)

/** The type of a visitor's file. Undefined: one that is not taken. Nothing has a signature that says that it is a plain text. */
export async function typeOfVisitors(bytes: Buffer, name: string): Promise<string | undefined> {
  const detected = await detectedType(bytes)
  if (detected !== undefined) return allowed[detected]
  const isPlain =
    /\.txt$/i.test(name) && isUtf8(bytes) && !bytes.includes(0) && !isMarkup.test(bytes.toString('utf8', 0, 1_024))
  return isPlain ? 'text/plain' : undefined
}

/** What a browser could take for a page. */
const isMarkup = /<(!doctype|\?xml|html|head|body|svg|script|style|iframe|object|embed|meta|link|img|a|table|div)\b/i
