import type { Me } from '@patchbay/contract/app/session.ts'
import { isOfThisMachine } from './origin.ts'
import { quote } from './shell-quote.ts'

/** What stands for the key where it is not known: only its hash is kept. */
export const keyPlaceholder = 'YOUR_API_KEY'

/** What the certificate is called that the app offers as a download. */
const downloadName = 'patchbay-cert.pem'

/** What the calls of a server need: its address, and the file of its certificate where it made that itself. */
export type Server = { publicUrl: string; certificate: string | null }

/**
 * Returns the server as this page reaches it. The path of a file of the server is one of this machine only where the
 * server is, too.
 */
export function serverOf({ publicUrl, certificate }: Me): Server {
  const url = publicUrl ?? location.origin
  return { publicUrl: url, certificate: certificate === null || isOfThisMachine(url) ? certificate : downloadName }
}

/** curl cannot know a certificate that the server made itself. */
export function curlTo({ certificate }: Pick<Server, 'certificate'>): string {
  return certificate === null ? 'curl' : `curl --cacert ${quote(certificate)}`
}

/** A call of the public API, for a terminal. */
export function curlOf(server: Server, path: string, body: unknown): string {
  return [
    `${curlTo(server)} ${server.publicUrl}${path}`,
    `  -H 'x-api-key: ${keyPlaceholder}'`,
    `  -H 'content-type: application/json'`,
    `  -d '${JSON.stringify(body)}'`,
  ].join(' \\\n')
}
