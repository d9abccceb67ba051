/** Whether an address is known to this machine alone. */
export function isOfThisMachine(url: string): boolean {
  const { hostname } = new URL(url)
  return /^(localhost|127\..*|\[::1\])$/.test(hostname) || hostname.endsWith('.localhost')
}
