/** One request to an address that a customer chose. */
export type Call = {
  method: 'POST' | 'GET'
  url: string
  headers: Record<string, string>
  body?: string | Buffer | undefined
  /** The limit for the answer's body. */
  mostBytes: number
  /** `cut`: the rest is not read, the connection is destroyed, the status counts. `refuse`: error `too_large`. */
  whenLarger: 'cut' | 'refuse'
  /** Replaces the default limit of the whole attempt: for a host that is known to answer slowly. */
  attemptMs?: number | undefined
  /** There is a secret in the address, which must not be kept in memory for longer than the request. */
  hasSecretUrl?: boolean | undefined
  /** Aborts the attempt early (shutdown). */
  signal?: AbortSignal | undefined
}

export type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer }

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
  /** There was no connection, so the host cannot have got the request. Otherwise it may have, though it sent no answer. */
  isBeforeRequest = false

  constructor(category: OutboundCategory, message: string, options?: ErrorOptions) {
    super(message, options)
    this.category = category
  }
}
