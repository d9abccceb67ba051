type Address = { protocol: string; hostname: string; port: string }

/** Whether the chat may be on this page: on `https`, and among what its owner has named. */
export function isAllowed(pages: readonly string[], { protocol, hostname, port }: Address): boolean {
  const isLoopback = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
  if (protocol !== 'https:' && !(isLoopback && protocol === 'http:')) return false
  const usual = protocol === 'https:' ? '443' : '80'
  return pages.some((page) => {
    const [, host = '', wanted = usual] = /^(.*?)(?::(\d+))?$/.exec(page.toLowerCase()) || []
    return wanted === (port || usual) && isHost(host, hostname.toLowerCase())
  })
}

function isHost(wanted: string, hostname: string): boolean {
  if (!wanted.startsWith('*.')) return hostname === wanted
  return hostname.endsWith(wanted.slice(1)) && hostname.length > wanted.length - 1
}
