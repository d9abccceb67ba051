import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { readTar, type TarEntry } from './tar.ts'

export const baseFile = 'base.tar.zst'
export const manifestFile = 'backup_manifest'

/** What becomes of the files while they are read. */
export type Sink = { begin: (entry: TarEntry) => Promise<void>; write: (piece: Buffer) => Promise<void> }

/** Only verifies. */
const noSink: Sink = { begin: async () => {}, write: async () => {} }

/**
 * Reads a backup from disk and verifies all of it: the archive as a whole by the SHA-256 that was noted when it was
 * written, and size and SHA-256 of every file in it by PostgreSQL's manifest. Throws an error that says what is wrong.
 */
export async function readBase(
  folder: string,
  { sha256, sink = noSink }: { sha256: string; sink?: Sink },
): Promise<{ files: number; bytes: number }> {
  const manifest = readManifest(await readFile(join(folder, manifestFile), 'utf8').catch(missingAs(manifestFile)))
  await access(join(folder, baseFile)).catch(missingAs(baseFile))
  const whole = createHash('sha256')
  const check = openCheck(manifest)
  for await (const part of readTar(decompress(join(folder, baseFile), whole))) {
    if (Buffer.isBuffer(part)) {
      check.add(part)
      await sink.write(part)
    } else {
      check.begin(part)
      await sink.begin(part)
    }
  }
  const counted = check.end()
  if (whole.digest('hex') !== sha256) throw new Error(`${baseFile} is not as it was written`)
  return counted
}

/** A file that is not there is said by its name; any other error is what it is. */
export function missingAs(name: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    throw error.code === 'ENOENT' ? new Error(`${name} is missing`, { cause: error }) : error
  }
}

async function* decompress(file: string, whole: Hash): AsyncGenerator<Buffer> {
  const stored = createReadStream(file, { highWaterMark: 256 * 1024 })
  const plain = createZstdDecompress()
  stored.on('data', (chunk) => whole.update(chunk))
  pipeline(stored, plain, () => {}) // an error of one is thrown by the loop
  yield* plain
}

/** Compares the files of an archive, one after another, with the manifest. */
function openCheck(manifest: Manifest) {
  const missing = new Map(manifest)
  let [files, bytes] = [0, 0]
  let current: { path: string; size: number; hash: Hash } | undefined

  function endFile(): void {
    if (!current) return
    const { path, size, hash } = current
    const expected = missing.get(path)
    if (expected && (expected.size !== size || expected.sha256 !== hash.digest('hex'))) {
      throw new Error(`${path} is damaged`)
    }
    if (!expected && !path.startsWith('pg_wal/')) throw new Error(`${path} is not in ${manifestFile}`)
    missing.delete(path)
    files += 1
    bytes += size
    current = undefined
  }

  return {
    begin: ({ path, kind }: TarEntry) => {
      endFile()
      if (kind === 'file') current = { path, size: 0, hash: createHash('sha256') }
    },
    add: (piece: Buffer) => {
      if (!current) return
      current.size += piece.length
      current.hash.update(piece)
    },
    end: () => {
      endFile()
      const [path] = missing.keys()
      if (path !== undefined) throw new Error(`${path} is missing`)
      return { files, bytes }
    },
  }
}

/** PostgreSQL's list of the files of a backup: size and SHA-256 of each. The write-ahead log is not in it. */
type Manifest = Map<string, { size: number; sha256: string }>

/** Reads the manifest and verifies its own checksum, which covers all lines before the last. */
function readManifest(text: string): Manifest {
  const lastLine = text.lastIndexOf('"Manifest-Checksum"')
  const given = /"Manifest-Checksum": "([0-9a-f]{64})"\}\s*$/.exec(text.slice(Math.max(lastLine, 0)))?.[1]
  if (given !== createHash('sha256').update(text.slice(0, lastLine)).digest('hex')) {
    throw new Error('backup_manifest is damaged')
  }
  const { Files: files } = JSON.parse(text) as { Files: ListedFile[] } // what its checksum covers, PostgreSQL has written
  return new Map(files.map((file) => [pathOf(file), { size: file.Size, sha256: file.Checksum }]))
}

type ListedFile = { Path?: string; 'Encoded-Path'?: string; Size: number; Checksum: string }

/** A path that is not UTF-8 is written in hexadecimal. */
function pathOf(file: ListedFile): string {
  return file.Path ?? Buffer.from(file['Encoded-Path'] ?? '', 'hex').toString('latin1')
}
