/** Whether an error is PostgreSQL's, with a SQLSTATE that begins with one of these prefixes. */
export function hasSqlState(error: unknown, ...prefixes: string[]): boolean {
  if (!(error instanceof Error && 'code' in error)) return false
  const code = String(error.code)
  return prefixes.some((prefix) => code.startsWith(prefix))
}

/**
 * Whether a connection that failed may succeed later: nothing listens yet, the connection broke, or the database is
 * starting, recovering or stopping (57P01–57P03) or has no free connection (53300).
 */
export function isTransientConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return transientCodes.has(code) || /terminated unexpectedly|not queryable|timeout/i.test(error.message)
}

/** For a `catch`: a later try may succeed where it returns; any other error is thrown. */
export function undefinedIfTransient(error: unknown): undefined {
  if (!isTransientConnectionError(error)) throw error
}

const transientCodes = new Set([
  ...['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'EAI_AGAIN', 'ENOTFOUND'],
  ...['57P01', '57P02', '57P03', '53300'],
])

/** Whether the database had no room for what it was to write: 53100, or its text where a file of its own could not grow. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && error.code === '53100') || /No space left on device/.test(error.message)
}

/** Whether no connection of a pool became free in time: all are in use, and the database need not be at fault. */
export function isPoolFull(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect' // of `pg`; it has no code
}
