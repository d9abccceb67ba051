import { X509Certificate } from 'node:crypto'
import { unwatchFile, watchFile } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecureContext, type Server } from 'node:tls'
import type { Config } from './config.ts'
import type { Log } from './log.ts'
import { OperatorError } from './operator-error.ts'

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
  const { makeCertificate } = await import('./certificate.ts') // half a second of loading that a later start is spared
  const { cert, key } = await makeCertificate(host)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  // Made aside and put into place as one: of two servers that start at once, the files of one are never mixed with the
  // other's.
  const aside = await mkdtemp(`${folder}.`)
  await writeFile(join(aside, 'key.pem'), key, { mode: 0o600 })
  await writeFile(join(aside, 'cert.pem'), cert, { mode: 0o644 })
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
      await rm(folder, { recursive: true, force: true })
    }
  }
}

const mostTries = 5

async function isUsable(files: TlsFiles): Promise<boolean> {
  const kept = await readPair(files).catch(() => undefined)
  return kept !== undefined && new X509Certificate(kept.cert).validToDate > new Date()
}

/** Reads certificate and key, and makes sure that they belong together. */
export async function readPair(files: TlsFiles): Promise<TlsPair> {
  const cert = await readOwn(files.cert) // one after the other, so that it is always the same one that is named first
  const key = await readOwn(files.key)
  try {
    createSecureContext({ cert, key })
  } catch (cause) {
    throw new OperatorError(`${files.cert} and ${files.key} are not a certificate and its key.`, { cause })
  }
  return { cert, key }
}

async function readOwn(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause) => {
    throw new OperatorError(`The certificate file ${file} cannot be read (${cause.code}).`, { cause })
  })
}

/**
 * Takes a renewed certificate into use without a restart. The files are asked for their times rather than watched
 * through the kernel: renewals replace links and folders, which such a watch loses sight of.
 */
export function reloadOnChange(server: Server, files: TlsFiles, log: Log): { [Symbol.dispose]: () => void } {
  async function reload(): Promise<void> {
    try {
      server.setSecureContext(await readPair(files))
      log.info({ file: files.cert }, 'the certificate was renewed')
    } catch (err) {
      log.warn({ err }, 'the changed certificate files are not usable yet; the old certificate stays')
    }
  }
  const paths = [files.cert, files.key]
  for (const path of paths) watchFile(path, { interval: 1_000, persistent: false }, () => void reload())
  return {
    [Symbol.dispose]: () => {
      for (const path of paths) unwatchFile(path)
    },
  }
}
