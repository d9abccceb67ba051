import 'reflect-metadata'
import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'

/** Ten years: clients have to trust it explicitly anyway, and nobody should have to renew it. */
const validForDays = 3650

/** Makes a self-signed certificate for localhost and for the host we listen on. */
export async function makeCertificate(host: string): Promise<{ cert: string; key: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const names = [...new Set(['localhost', '127.0.0.1', '::1', host])]
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    // Of two trusted certificates with one name OpenSSL tries only the first: a proxy could not trust two servers.
    name: `CN=Patchbay ${randomBytes(8).toString('hex')}`,
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - 86_400_000), // clocks differ
    notAfter: new Date(Date.now() + validForDays * 86_400_000),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true), // lets a client use it as its trusted CA
      new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.1']), // serverAuth
      new x509.SubjectAlternativeNameExtension(
        names.map((name) => ({ type: isIP(name) ? ('ip' as const) : ('dns' as const), value: name })),
      ),
    ],
  })
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const lines = key.match(/.{1,64}/g)?.join('\n')
  return {
    cert: `${certificate.toString('pem')}\n`,
    key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
  }
}
