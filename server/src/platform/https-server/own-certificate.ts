import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { isLoopback } from '../config/ip-ranges.ts'

export type OwnCertificate = {
  path: string
  /** What a client is given to trust it: its path for one on this machine, the name it is downloaded as for others. */
  file: string
}

export const certificateName = 'patchbay-cert.pem'

/**
 * The certificate that the server made itself, if clients meet it: no authority has signed it, so they have to be given it. A
 * public URL with a name that it is not for leads to a proxy, which has another.
 */
export function ownCertificate({
  publicUrl,
  tlsFiles,
  dataDir,
  host,
}: Pick<Config, 'publicUrl' | 'tlsFiles' | 'dataDir' | 'host'>): OwnCertificate | undefined {
  const { protocol, hostname } = new URL(publicUrl)
  const name = hostname.replace(/^\[|\]$/g, '')
  if (tlsFiles !== undefined || protocol !== 'https:' || !(isLoopback(name) || name === host)) return undefined
  const path = join(dataDir, 'tls', 'cert.pem')
  return { path, file: isLoopback(name) ? path : certificateName }
}
