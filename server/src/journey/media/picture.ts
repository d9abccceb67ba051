import { commonName } from './content-type.ts'

/** Raster images that browsers show. What is stored as one of these begins as such a file does. */
const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'])

/** Whether a stored file of this type may be shown in a page: a format with pixels and no script. */
export function isPicture(contentType: string): boolean {
  return pictures.has(commonName(contentType))
}
