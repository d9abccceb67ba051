import { X509Certificate } from 'node:crypto'
import { unwatchFile, watchFile } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Server } from 'node:tls'
import type { Config } from '../config/config.ts'
import type { Log } from '../log.ts'
import { OperatorError } from '../operator-error.ts'
import { writeSynced } from '../synced-file.ts'
import { tryHandshake } from './try-handshake.ts'

export type TlsFiles = { cert: string; key: string }
export type TlsPair = { cert: string; key: string }

/** The operator's certificate files, or our own self-signed ones, made once and kept. */
export async function tlsFiles(config: Config): Promise<TlsFiles> {
  return config.tlsFiles ?? ownFiles(config)
}

async function ownFiles({ dataDir, host }: Config): Promise<TlsFiles> {
  const folder = join(dataDir, 'tls')
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  if (await isUsable(files)) return files
  const { makeCertificate } = await import('./make-certificate.ts') // half a second of loading that a later start is spared
  const { cert, key } = await makeCertificate(host)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  // Made aside and put into place as one: of two servers that start at once, the files of one are never mixed with the
  // other's.
  const aside = await mkdtemp(`${folder}.`)
  await writeSynced(join(aside, 'key.pem'), key)
  await writeSynced(join(aside, 'cert.pem'), cert, 0o644)
  await insistOnPlace(aside, folder, files)
  return files
}

async function insistOnPlace(aside: string, folder: string, files: TlsFiles): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await rename(aside, folder)
    } catch (error) {
      if (await isUsable(files)) return rm(aside, { recursive: true }) // another one was first
      if (tries === mostTries) throw error
      // Moved out of the way as one: removed where it is, it may be filled again by another one meanwhile.
      const unusable = `${aside}.old`
      await rename(folder, unusable).catch(() => {})
      await rm(unusable, { recursive: true, force: true })
    }
  }
}

const mostTries = 5

async function isUsable(files: TlsFiles): Promise<boolean> {
  const kept = await readPair(files).catch(() => undefined)
  return kept !== undefined && new X509Certificate(kept.cert).validToDate > new Date()
}

/** Reads certificate and key, and makes sure by a handshake that they belong together and are whole. */
export async function readPair(files: TlsFiles): Promise<TlsPair> {
  const cert = await readOwn(files.cert) // one after the other, so that it is always the same one that is named first
  const key = await readOwn(files.key)
  try {
    await tryHandshake({ cert, key })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new OperatorError(`${files.cert} and ${files.key} are not a certificate and its key (${why}).`, { cause })
  }
  return { cert, key }
}

async function readOwn(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause) => {
    throw new OperatorError(`The certificate file ${file} cannot be read (${cause.code}).`, { cause })
  })
}

/** Callers will refuse it, but it is theirs to say so; a server that does not start helps nobody. */
export function warnIfExpired({ cert }: TlsPair, files: TlsFiles, log: Log): void {
  const { validToDate } = new X509Certificate(cert)
  if (validToDate < new Date()) log.warn({ file: files.cert, validToDate }, 'the certificate has expired; renew it')
}

/**
 * Takes a renewed certificate into use without a restart. The files are asked for their times rather than watched
 * through the kernel: renewals replace links and folders, which such a watch loses sight of.
 */
export function reloadOnChange(server: Server, files: TlsFiles, log: Log): { [Symbol.dispose]: () => void } {
  async function reload(): Promise<void> {
    try {
      const pair = await readPair(files)
      server.setSecureContext(pair)
      log.info({ file: files.cert }, 'the certificate was renewed')
      warnIfExpired(pair, files, log)
    } catch (err) {
      log.warn({ err }, 'the changed certificate files are not usable yet; the old certificate stays')
    }
  }
  let reloading = Promise.resolve() // one after the other: what was read first must not be used last
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
