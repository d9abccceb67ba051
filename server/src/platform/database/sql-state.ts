/** Whether an error is PostgreSQL's, with a SQLSTATE that begins with one of these. */
export function hasSqlState(error: unknown, ...beginnings: string[]): boolean {
  if (!(error instanceof Error && 'code' in error)) return false
  const code = String(error.code)
  return beginnings.some((beginning) => code.startsWith(beginning))
}
