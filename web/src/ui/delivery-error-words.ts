import type { DeliveryFault } from '@patchbay/contract/app/messages.ts'

/** Why a delivery failed, in one sentence. Categories are those of the server; a new one shows the server's own sentence. */
export function sayCause({ category, httpStatus, detail }: DeliveryFault): string {
  switch (category) {
    case 'http_error':
      return httpStatus === 410 ? 'Your server says this address is gone.' : `Your server answered ${httpStatus}.`
    case 'redirect':
      return `Your server answered ${httpStatus}. Redirects are not followed.`
    case 'timeout':
      return 'No answer in 15 s.'
    case 'dns_error':
      return 'The name was not found.'
    case 'connection_refused':
      return /cannot be reached/.test(detail ?? '')
        ? 'Your server cannot be reached.'
        : 'Nothing listens at your address.'
    case 'connection_reset':
      return 'The connection was cut.'
    case 'tls_error':
      return sayCertificate(detail ?? '')
    case 'invalid_response':
      return /too large/.test(detail ?? '')
        ? 'The headers that came back are too large.'
        : 'What came back was not HTTP.'
    case 'too_large':
      return 'What came back is too large.'
    case 'blocked_address':
      return detail ?? 'Your address is a private one, so it was not called.'
    case 'no_endpoint':
      return 'No webhook is saved.'
    case 'endpoint_paused':
      return 'The receiver is paused.'
    case 'secret_unreadable':
      return 'The signing secret cannot be read.'
    default:
      return overChannels[category] ?? (detail ? asSentence(detail) : 'It did not work.')
  }
}

/** What another program said may have no end. */
function asSentence(text: string): string {
  return /[.?!…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`
}

/** Why a message over a built-in channel did not leave, or did not arrive. */
const overChannels: Record<string, string | undefined> = {
  channel_removed: 'The channel was disconnected.',
  no_address: 'They are not known on this channel.',
  stopped: 'They take nothing more from this channel.',
  blocked: 'They take nothing more from this channel.',
  opted_out: 'They have asked not to be written to.',
  expired: 'It waited for too long.',
  in_doubt: 'It is not known whether it arrived.',
  too_long: 'It is too long for this channel.',
  file_refused: 'The channel does not take this file.',
  not_reached: 'The provider could not be reached.',
}

function sayCertificate(detail: string): string {
  if (/expired/.test(detail)) return 'The certificate has expired.'
  if (/another name/.test(detail)) return 'The certificate is for another name.'
  if (/self-signed/.test(detail)) return 'The certificate is self-signed.'
  return 'No secure connection could be made.'
}

export const deliveryErrorWords = {
  notDelivered: 'Not delivered.',
  /** Nothing was posted. */
  notSent: 'Not sent.',
  sendAgain: 'Send again',
  sendingAgain: 'Sending…',
  addWebhook: 'Add one',
  openReceiver: 'Open receiver',
  byItself: (n: number, most: number, left: string) => `Try ${n} of ${most} in ${left}, by itself`,
  tryNow: (n: number, most: number) => `Try ${n} of ${most} now`,
  triesSoFar: (n: number) => (n === 1 ? '1 try so far' : `${n} tries so far`),
  gaveUp: (n: number) => (n === 1 ? 'Not tried again by itself' : `${n} tries; not tried again by itself`),
  againIn: (left: string | undefined) =>
    left === undefined ? 'Tried again by itself' : `Tried again by itself in ${left}`,
  gone: 'Not tried again. Save another address, then send again',
  blocked: 'Not tried again. Change it, or have it allowed',
  noEndpoint: 'Save one, then send it again',
  paused: 'It waits until the receiver is resumed',
  secret: 'Make a new one, then send again',
} as const
