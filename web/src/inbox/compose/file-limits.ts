import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import { formatSize } from '../thread/format-size.ts'
import { isShownAsPicture } from './is-shown-as-picture.ts'
import { nameOfWay } from './name-of-way.ts'
import { composeWords as words } from './words.ts'

/** Returns why a file cannot be sent by this way; undefined: it can. */
export function whyNotThisFile({ name, size, type }: File, way: ReplyWay): string | undefined {
  const limits = way.fileBytes
  if (limits === null) return words.noFiles(nameOfWay(way))
  if (size === 0) return words.empty(name)
  const most = isShownAsPicture(type) ? limits.picture : limits.other
  return size <= most ? undefined : words.tooLarge(name, formatSize(size), formatMost(most), nameOfWay(way))
}

/** Limits are powers of two, and people count in tens: 10 MB. */
export function formatMost(bytes: number): string {
  return `${Math.floor(bytes / 1_048_576)} MB`
}
