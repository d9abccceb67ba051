import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { getCACertificates } from 'node:tls'
import { type Config, urlOf } from '../../src/platform/config/config.ts'
import { tryHandshake } from '../../src/platform/https-server/try-handshake.ts'

type Serving = { port: number; certificateFile: string }

/** How people reach the server; a port that the system chose is known only now. */
export function publicUrl(config: Config, { port }: Serving): string {
  return config.publicUrl === urlOf(config.host, config.port) ? urlOf(config.host, port) : config.publicUrl
}

/**
 * The beginning of a curl command that reaches the server as it stands. Behind a proxy its certificate counts and not
 * ours; a certificate that no authority vouches for is named as the one to trust; and one that is for another name than
 * ours is asked for by that name, here.
 */
export async function curlTo(config: Config, serving: Serving): Promise<{ command: string; url: string }> {
  const url = publicUrl(config, serving)
  const isOurs = url === urlOf(config.host, serving.port)
  const certificate = new X509Certificate(await readFile(serving.certificateFile))
  const name = new URL(url).hostname.replace(/^\[|\]$/g, '')
  if (covers(certificate, name)) return { command: `curl${await trust(config, serving, name)}`, url }
  if (!isOurs) return { command: 'curl', url }
  const other = /DNS:([^,]+)/.exec(certificate.subjectAltName ?? '')?.[1]?.replace('*', 'patchbay')
  if (other === undefined) return { command: 'curl --insecure', url }
  const trusting = await trust(config, serving, other)
  return {
    command: `curl --connect-to '::${new URL(url).hostname}:${serving.port}'${trusting}`,
    url: `https://${other}:${serving.port}`,
  }
}

function covers(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined
}

async function trust({ tlsFiles }: Config, { certificateFile }: Serving, servername: string): Promise<string> {
  if (tlsFiles && (await isTrusted(tlsFiles, servername))) return ''
  return ` --cacert '${certificateFile.replaceAll("'", "'\\''")}'`
}

/** Whether it would be accepted by someone who knows the usual authorities alone. */
async function isTrusted(files: { cert: string; key: string }, servername: string): Promise<boolean> {
  const pair = { cert: await readFile(files.cert, 'utf8'), key: await readFile(files.key, 'utf8') }
  const ca = [...getCACertificates('bundled'), ...getCACertificates('system')]
  return tryHandshake(pair, { ca, ...(isIP(servername) ? {} : { servername }) }).then(
    () => true,
    () => false,
  )
}
