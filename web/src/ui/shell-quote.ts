/** Quotes a text for a POSIX shell: nothing inside single quotes has a meaning, but a single quote itself. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
