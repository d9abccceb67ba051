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
}
