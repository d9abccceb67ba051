/**
 * Whether a failed connection may succeed later: nobody there yet, the connection broke, or (57P01–57P03)
 * the database is starting, recovering or stopping, or (53300) has no place left.
 */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return passing.has(code) || /terminated unexpectedly|not queryable|timeout/i.test(error.message)
}

const passing = new Set([
  ...['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'EAI_AGAIN', 'ENOTFOUND'],
  ...['57P01', '57P02', '57P03', '53300'],
])
