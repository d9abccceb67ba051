/**
 * A call of the public API, for a terminal. The key is a placeholder: only its hash is kept. A certificate for this machine
 * alone is made by the server itself, so curl cannot know it.
 */
export function curlOf(publicUrl: string, path: string, body: unknown): string {
  const isLocal = /^https:\/\/(localhost|127\.|\[::1\])/.test(publicUrl)
  return [
    `curl${isLocal ? ' -k' : ''} ${publicUrl}${path}`,
    `  -H 'x-api-key: YOUR_API_KEY'`,
    `  -H 'content-type: application/json'`,
    `  -d '${JSON.stringify(body)}'`,
  ].join(' \\\n')
}
