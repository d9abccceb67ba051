import type { DeliveryFault } from '@patchbay/contract/app/messages.ts'

/** Why a delivery failed, in a word or two, where a sentence has no room. */
export function shortCause({ category, httpStatus }: DeliveryFault): string {
  if (httpStatus !== null) return String(httpStatus)
  return short[category] ?? category.replaceAll('_', ' ')
}

const short: Record<string, string | undefined> = {
  timeout: 'timeout',
  dns_error: 'DNS',
  connection_refused: 'refused',
  connection_reset: 'cut',
  tls_error: 'TLS',
  invalid_response: 'not HTTP',
  blocked_address: 'blocked',
  no_endpoint: 'no address',
  endpoint_paused: 'paused',
  channel_removed: 'disconnected',
  no_address: 'not known there',
  stopped: 'blocked',
  opted_out: 'opted out',
  expired: 'too old',
  in_doubt: 'in doubt',
  too_long: 'too long',
  file_refused: 'file refused',
  not_reached: 'not reached',
  not_delivered: 'not delivered',
  provider_error: 'refused',
}
