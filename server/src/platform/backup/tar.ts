export type TarEntry = { path: string; kind: 'file' | 'folder'; size: number }

const blockBytes = 512

/**
 * Reads a tar archive as PostgreSQL writes it: each entry, followed by its content in pieces of any size. Throws when the
 * archive is cut off or has something else than files and folders in it.
 */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry | Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  let [contentLeft, paddingLeft] = [0, 0]
  let hasEnded = false
  for await (const chunk of source) {
    if (hasEnded) continue // only padding comes after the end
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length > 0) {
      if (contentLeft > 0) {
        const piece = rest.subarray(0, contentLeft)
        contentLeft -= piece.length
        rest = rest.subarray(piece.length)
        yield piece
      } else if (paddingLeft > 0) {
        const skipped = Math.min(paddingLeft, rest.length)
        paddingLeft -= skipped
        rest = rest.subarray(skipped)
      } else {
        if (rest.length < blockBytes) break
        const entry = readHeader(rest.subarray(0, blockBytes))
        rest = rest.subarray(blockBytes)
        hasEnded = entry === undefined
        if (!entry) break
        contentLeft = entry.size
        paddingLeft = (blockBytes - (entry.size % blockBytes)) % blockBytes
        yield entry
      }
    }
  }
  if (!hasEnded) throw new Error('the archive is cut off')
}

/** Returns undefined for the block of zeros that ends an archive. */
function readHeader(block: Buffer): TarEntry | undefined {
  if (block.every((byte) => byte === 0)) return undefined
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0)
  if (sum !== readOctal(block, 148, 8)) throw new Error('the archive is damaged')
  const [name, prefix] = [readText(block, 0, 100), readText(block, 345, 155)]
  const path = (prefix === '' ? name : `${prefix}/${name}`).replace(/^\.\//, '').replace(/\/$/, '')
  const type = readText(block, 156, 1)
  if (type !== '0' && type !== '5') throw new Error(`the archive has something else than a file in it: ${path}`)
  if (path.startsWith('/') || path.split('/').includes('..')) throw new Error(`the archive has a path outside: ${path}`)
  const kind = type === '5' ? 'folder' : 'file'
  return { path, kind, size: kind === 'file' ? readOctal(block, 124, 12) : 0 }
}

function readText(block: Buffer, from: number, length: number): string {
  const field = block.subarray(from, from + length)
  const end = field.indexOf(0)
  return field.subarray(0, end === -1 ? length : end).toString('utf8')
}

function readOctal(block: Buffer, from: number, length: number): number {
  const text = readText(block, from, length).trim()
  if (!/^[0-7]+$/.test(text)) throw new Error('the archive is damaged')
  return Number.parseInt(text, 8)
}
