import { limits } from '@patchbay/contract/limits.ts'
import { isChannelId } from '../../outbox/receivers.ts'
import { Refusal } from '../../platform/refusal.ts'

/** The schema limits characters; a text within that limit may still have too many bytes. */
export function checkBody(body: string, field = 'customData.body'): void {
  if (body.length * 3 <= limits.bodyBytes || Buffer.byteLength(body) <= limits.bodyBytes) return
  throw new Refusal('INVALID_REQUEST', `${field} must have at most ${limits.bodyBytes} bytes in UTF-8.`)
}

/** A caller's label of a custom channel may be any word but the id of a built-in one. */
export function checkLabel(label: string | undefined, field: string): void {
  if (label === undefined || !isChannelId(label.trim())) return
  throw new Refusal(
    'INVALID_REQUEST',
    `${field} names a built-in channel; those are used by broadcasts, the bot and people in the app.`,
  )
}
