import { X509Certificate } from 'node:crypto'
import { unwatchFile, watchFile } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
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
  const files = { cert: join(dataDir, 'tls/cert.pem'), key: join(dataDir, 'tls/key.pem') }
  const kept = await readPair(files).catch(() => undefined)
  if (kept && new X509Certificate(kept.cert).validToDate > new Date()) return files
  const { makeCertificate } = await import('./certificate.ts') // half a second of loading that a later start is spared
  const { cert, key } = await makeCertificate(host)
  await mkdir(join(dataDir, 'tls'), { recursive: true, mode: 0o700 })
  await writeWhole(files.key, key, 0o600)
  await writeWhole(files.cert, cert, 0o644)
  return files
}

async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  await writeFile(`${file}.${process.pid}`, text, { mode })
  await rename(`${file}.${process.pid}`, file)
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
