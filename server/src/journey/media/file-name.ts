import type { MessageId } from '../../platform/ids.ts'
import { commonName, isText } from './content-type.ts'

/** Endings of types that open in a program of their own and run nothing by themselves. */
const endings: Record<string, string> = {
  'application/pdf': 'pdf',
  'application/rtf': 'rtf',
  'application/zip': 'zip',
  'application/json': 'json',
  'application/msword': 'doc',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/heic': 'heic',
  'image/bmp': 'bmp',
  'image/tiff': 'tif',
  'text/csv': 'csv',
  'text/calendar': 'ics',
  'text/vcard': 'vcf',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
}

/**
 * The name that a download gets; the sender's own is not stored. A page, a script or a program gets an ending with which
 * no double click opens it as one: `txt` for text, else `bin`.
 */
export function fileName(messageId: MessageId, contentType: string): string {
  const name = commonName(contentType)
  return `${messageId}.${endings[name] ?? (isText(name) ? 'txt' : 'bin')}`
}
