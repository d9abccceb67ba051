/** One request to an address that somebody else chose. */
export type Call = {
  method: 'POST' | 'GET'
  url: string
  headers: Record<string, string>
  body?: string | undefined
  /**
   * Of the answer. `cut`: the rest is not read, the connection is destroyed, the status counts. `refuse`: OutboundError
   * `too_large`.
   */
  mostBytes: number
  whenLarger: 'cut' | 'refuse'
  /** All of it, in place of the usual limit: for a host that is known to think long. */
  attemptMs?: number | undefined
  /** Aborts the attempt early (shutdown). */
  signal?: AbortSignal | undefined
}

export type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer }
