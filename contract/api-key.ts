/** Whether a text can be a key at all. Ours begin with `pb_`; an operator may give the first one in a form of their own. */
export function isApiKey(text: string): boolean {
  return /^[A-Za-z0-9_-]{16,128}$/.test(text)
}
