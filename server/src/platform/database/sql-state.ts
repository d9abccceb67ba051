/** Whether an error is PostgreSQL's, with a SQLSTATE that begins with one of these prefixes. */
export function hasSqlState(error: unknown, ...prefixes: string[]): boolean {
  if (!(error instanceof Error && 'code' in error)) return false
  const code = String(error.code)
  return prefixes.some((prefix) => code.startsWith(prefix))
}
