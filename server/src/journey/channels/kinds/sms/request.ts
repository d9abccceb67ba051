import { measureSms } from '@patchbay/contract/segments.ts'
import { Refusal } from '../../../../platform/refusal.ts'
import { splitText } from '../common/split-text.ts'
import type { Content, Limits, Pace, Part, PartToSend, ProviderCall } from '../kind.ts'
import { callAccount, type SmsSecrets, senderOf } from './calls.ts'
import type { SmsSettings } from './credentials.ts'
import { retries } from './place.ts'

/** Of a message with a file, text and all. */
const mostFileBytes = 5_000_000

export const limits: Limits = {
  textUnits: 1_600,
  captionUnits: 1_600,
  parts: 10,
  fileBytes: { image: mostFileBytes, other: mostFileBytes },
  incomingFileBytes: 20 * 1_048_576,
}

/** A file goes first, with the text beside it if that fits. What can be chosen stands in the text, with its numbers. */
export function split({ text, file }: Content): Part[] {
  if (file && file.sizeBytes > mostFileBytes) {
    throw new Refusal('PAYLOAD_TOO_LARGE', `Twilio takes files up to ${mostFileBytes / 1_000_000} MB.`)
  }
  const texts = text === '' ? [''] : splitText(text, limits.textUnits)
  if (texts.length > limits.parts) {
    throw new Refusal(
      'INVALID_REQUEST',
      `The text is too long: it would be ${texts.length} messages of ${limits.textUnits} characters.`,
    )
  }
  return texts.map((one, n) => ({ text: one, hasFile: file !== null && n === 0, choices: [], replyTo: null }))
}

/** In segments. A file is counted as one message, whatever is beside it. */
export function cost({ text, hasFile }: Part): number {
  return hasFile ? 1 : measureSms(text).segments
}

const tollFree = /^\+18(00|33|44|55|66|77|88)\d{7}$/

/** Segments a second, by what carriers let such a sender do. */
export function pace({ sender, serviceSid }: SmsSettings): Pace {
  const pair = { perSecond: 1, burst: 5 }
  if (serviceSid !== null) return { perSecond: 10, pair }
  if (!sender.startsWith('+')) return { perSecond: 100, pair }
  return { perSecond: tollFree.test(sender) ? 3 : 1, pair }
}

export const leavesWithinSeconds = 4 * 3_600
const leastSeconds = 60

/** What was written is what is sent: no sign is replaced by another on the way. */
export function request(send: PartToSend, settings: SmsSettings, secrets: SmsSecrets): ProviderCall {
  const { messageId, n, part, address, fileUrl, hookUrl, secondsLeft } = send
  if (part.hasFile && fileUrl === null) throw new Error('a part with a file was given no address of it')
  const status = hookUrl === null ? undefined : `${hookUrl}/status?m=${messageId}&p=${n}${retries}`
  const seconds = Math.min(Math.max(Math.floor(secondsLeft), leastSeconds), leavesWithinSeconds)
  return callAccount(secrets, '/Messages.json', {
    operation: 'send',
    form: {
      ...{ To: address.address, ...senderOf(settings), Body: part.text === '' && part.hasFile ? undefined : part.text },
      ...{ MediaUrl: part.hasFile ? (fileUrl ?? undefined) : undefined, StatusCallback: status },
      ...{ ValidityPeriod: String(seconds), SmartEncoded: 'false' },
    },
  })
}
