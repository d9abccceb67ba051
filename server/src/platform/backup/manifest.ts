import { createHash } from 'node:crypto'

/** PostgreSQL's list of the files of a backup: size and SHA-256 of each. The write-ahead log is not in it. */
export type Manifest = Map<string, { size: number; sha256: string }>

/** Reads the manifest and verifies its own checksum, which covers all lines before the last. */
export function readManifest(text: string): Manifest {
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
