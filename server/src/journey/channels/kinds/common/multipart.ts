import { hash } from 'node:crypto'
import type { OutFile } from '../kind.ts'

/** A form with a file, as `multipart/form-data`. The boundary is a hash of the bytes, so that it is not in them. */
export function multipart(
  fields: Record<string, string>,
  [name, { bytes, contentType, fileName }]: [name: string, file: OutFile],
): { headers: { 'content-type': string }; body: Buffer } {
  const boundary = `patchbay-${hash('sha256', bytes)}`
  const texts = Object.entries(fields).map(
    ([field, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  )
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="${quotable(fileName)}"\r\ncontent-type: ${contentType}\r\n\r\n`
  const body = Buffer.concat([Buffer.from(texts.join('') + head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
  return { headers: { 'content-type': `multipart/form-data; boundary=${boundary}` }, body }
}

/** As browsers write it. */
function quotable(text: string): string {
  return text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}
