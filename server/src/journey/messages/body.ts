import { limits } from '@patchbay/contract/limits.ts'
import { Refusal } from '../../platform/refusal.ts'

/** The schema limits characters; a text within that limit may still have too many bytes. */
export function checkBody(body: string, field = 'customData.body'): void {
  if (body.length * 3 <= limits.bodyBytes || Buffer.byteLength(body) <= limits.bodyBytes) return
  throw new Refusal('INVALID_REQUEST', `${field} must have at most ${limits.bodyBytes} bytes in UTF-8.`)
}
