import { X509Certificate } from 'node:crypto'
import { unwatchFile, watchFile } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Server } from 'node:tls'
import type { Config } from '../config/config.ts'
import { waitForFileLock } from '../file-lock.ts'
import { openDataFolder, writeSynced } from '../files.ts'
import type { Log } from '../log.ts'
import { OperatorError } from '../operator-error.ts'
import { tryHandshake } from './try-handshake.ts'

export type TlsFiles = { cert: string; key: string }
export type TlsPair = { cert: string; key: string }

/** The operator's certificate files, or self-signed ones, made at the first start and kept. */
export async function tlsFiles({ tlsFiles, dataDir, host }: Config): Promise<TlsFiles> {
  if (tlsFiles) return tlsFiles
  const folder = join(dataDir, 'tls')
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  if (await isUsable(files)) return files
  await openDataFolder(dataDir)
  const { makeCertificate } = await import('./make-certificate.ts') // takes half a second to load; later starts do not need it
  const { cert, key } = await makeCertificate(host)
  using _ = await waitForFileLock(`${folder}.lock`)
  if (await isUsable(files)) return files // another server was first
  // Written to a temporary folder that is renamed as a whole, so that a crash never leaves a new key with an old certificate.
  const temporary = `${folder}.new`
  await rm(temporary, { recursive: true, force: true }) // of a start that was killed
  await mkdir(temporary, { mode: 0o700 })
  await writeSynced(join(temporary, 'key.pem'), key)
  await writeSynced(join(temporary, 'cert.pem'), cert, 0o644)
  await rm(folder, { recursive: true, force: true })
  await rename(temporary, folder)
  return files
}

async function isUsable(files: TlsFiles): Promise<boolean> {
  const pair = await readPair(files).catch(() => undefined)
  return pair !== undefined && new X509Certificate(pair.cert).validToDate > new Date()
}

/** Reads certificate and key, and verifies with a TLS handshake that they are complete and belong together. */
export async function readPair(files: TlsFiles): Promise<TlsPair> {
  const cert = await readPem(files.cert) // one after the other, so that the same missing file is always reported first
  const key = await readPem(files.key)
  try {
    await tryHandshake({ cert, key })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new OperatorError(
      `${files.cert} and ${files.key} are not a certificate and its key (${why}); put the certificate with its chain into the first and its own private key, without a passphrase, into the second.`,
      { cause },
    )
  }
  return { cert, key }
}

async function readPem(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause) => {
    const code: string = cause.code
    throw new OperatorError(`The certificate file ${file} cannot be read (${code}); ${adviceOf[code] ?? otherwise}.`, {
      cause,
    })
  })
}

const otherwise =
  'set TLS_CERT_FILE and TLS_KEY_FILE to the files of your certificate, or unset both for a self-signed one'
const adviceOf: Record<string, string> = {
  EACCES: 'let the user that runs Patchbay read it, and the folders above it',
}

/** A warning only: clients decide whether they refuse an expired certificate, and a server that does not start is worse. */
export function warnIfExpired({ cert }: TlsPair, files: TlsFiles, log: Log): void {
  const { validToDate } = new X509Certificate(cert)
  if (validToDate < new Date()) log.warn({ file: files.cert, validToDate }, 'the certificate has expired; renew it')
}

/**
 * Reloads a renewed certificate without a restart. The files are polled for their modification times instead of watched
 * with inotify: renewals replace links and folders, and such a watch would miss them.
 */
export function reloadOnChange(server: Server, files: TlsFiles, log: Log): { [Symbol.dispose]: () => void } {
  async function reload(): Promise<void> {
    try {
      const pair = await readPair(files)
      const tickets = server.getTicketKeys() // clients that come back need no full handshake, whichever process they reach
      server.setSecureContext(pair)
      server.setTicketKeys(tickets)
      log.info({ file: files.cert }, 'the certificate was renewed')
      warnIfExpired(pair, files, log)
    } catch (err) {
      log.warn({ err }, 'the changed certificate files are not usable yet; the old certificate stays')
    }
  }
  let reloading = Promise.resolve() // one after the other, so that an older certificate never replaces a newer one
  const onChange = () => {
    reloading = reloading.then(reload)
  }
  const paths = [files.cert, files.key]
  for (const path of paths) watchFile(path, { interval: 1_000, persistent: false }, onChange)
  return {
    [Symbol.dispose]: () => {
      for (const path of paths) unwatchFile(path)
    },
  }
}
