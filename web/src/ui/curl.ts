/** What stands for the key where it is not known: only its hash is kept. */
export const keyPlaceholder = 'YOUR_API_KEY'

/** A certificate for this machine alone is made by the server itself, so curl cannot know it. */
export function curlTo(publicUrl: string): string {
  return /^https:\/\/(localhost|127\.|\[::1\])/.test(publicUrl) ? 'curl -k' : 'curl'
}

/** A call of the public API, for a terminal. */
export function curlOf(publicUrl: string, path: string, body: unknown): string {
  return [
    `${curlTo(publicUrl)} ${publicUrl}${path}`,
    `  -H 'x-api-key: ${keyPlaceholder}'`,
    `  -H 'content-type: application/json'`,
    `  -d '${JSON.stringify(body)}'`,
  ].join(' \\\n')
}
