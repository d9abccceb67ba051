import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { getCACertificates } from 'node:tls'
import { type Config, publicUrlAt, urlOf } from '../../src/platform/config/config.ts'
import { tryHandshake } from '../../src/platform/https-server/try-handshake.ts'

type Serving = { port: number; certificateFile: string }

/**
 * The start of a curl command that works with the current configuration. Behind a proxy the proxy's certificate counts,
 * not ours; a certificate without a known authority is passed with --cacert; and if it is for another host name, the
 * request uses that name and connects here.
 */
export async function curlTo(config: Config, serving: Serving): Promise<{ command: string; url: string }> {
  const url = publicUrlAt(config, serving.port)
  const isOurs = url === urlOf(config.host, serving.port)
  const certificate = new X509Certificate(await readFile(serving.certificateFile))
  const name = new URL(url).hostname.replace(/^\[|\]$/g, '')
  if (covers(certificate, name)) return { command: `curl${await trust(config, serving, name)}`, url }
  if (!isOurs) return { command: 'curl', url }
  const certificateName = /DNS:([^,]+)/.exec(certificate.subjectAltName ?? '')?.[1]?.replace('*', 'patchbay')
  if (certificateName === undefined) return { command: 'curl --insecure', url }
  const trusting = await trust(config, serving, certificateName)
  return {
    command: `curl --connect-to '::${new URL(url).hostname}:${serving.port}'${trusting}`,
    url: `https://${certificateName}:${serving.port}`,
  }
}

function covers(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined
}

async function trust({ tlsFiles }: Config, { certificateFile }: Serving, servername: string): Promise<string> {
  if (tlsFiles && (await isTrusted(tlsFiles, servername))) return ''
  return ` --cacert '${certificateFile.replaceAll("'", "'\\''")}'`
}

/** Whether a client that trusts only the usual authorities accepts it. */
async function isTrusted(files: { cert: string; key: string }, servername: string): Promise<boolean> {
  const pair = { cert: await readFile(files.cert, 'utf8'), key: await readFile(files.key, 'utf8') }
  const ca = [...getCACertificates('bundled'), ...getCACertificates('system')]
  return tryHandshake(pair, { ca, ...(isIP(servername) ? {} : { servername }) }).then(
    () => true,
    () => false,
  )
}
