export type OutboundCategory =
  | 'timeout'
  | 'dns_error'
  | 'connection_refused'
  | 'connection_reset'
  | 'tls_error'
  | 'invalid_response'
  | 'blocked_address'
  | 'too_large'

/**
 * Why an outbound request has no answer. The message is shown to the account holder as it is: one sentence without a
 * byte of the answer and without an address of ours. Details for the log are in `cause`.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly category: OutboundCategory

  constructor(category: OutboundCategory, message: string, options?: ErrorOptions) {
    super(message, options)
    this.category = category
  }
}
