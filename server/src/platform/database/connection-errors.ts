/**
 * Whether a connection that failed may succeed later: nothing listens yet, the connection broke, or the database is
 * starting, recovering or stopping (57P01–57P03) or has no free connection (53300).
 */
export function isTransientConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return transientCodes.has(code) || /terminated unexpectedly|not queryable|timeout/i.test(error.message)
}

const transientCodes = new Set([
  ...['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'EAI_AGAIN', 'ENOTFOUND'],
  ...['57P01', '57P02', '57P03', '53300'],
])
