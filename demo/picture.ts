import { crc32, deflateSync } from 'node:zlib'

const [width, height] = [480, 320]

/** A drawing of a wheel as a PNG, in grey. */
export function drawWheel(): Buffer {
  const rows = Array.from({ length: height }, (_, y) => {
    const row = Buffer.alloc(1 + width)
    for (let x = 0; x < width; x += 1) row[1 + x] = shade(x - width / 2, y - height / 2)
    return row
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(8, 8) // 8 bits of grey
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.concat(rows))), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts])
}

function shade(x: number, y: number): number {
  const radius = Math.hypot(x, y)
  const isRim = Math.abs(radius - 138) < 6
  const isHub = radius < 30 && radius > 12
  const spoke = Math.abs(Math.sin(Math.atan2(y, x) * 16 + (radius % 40) / 60)) < 2.2 / Math.max(radius / 16, 1)
  const ground = 70 + 40 * (y / height) + 12 * Math.sin(x / 40)
  if (isRim || isHub) return 205
  return Math.round(spoke && radius < 138 ? 175 : ground)
}

function chunk(name: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const named = Buffer.concat([Buffer.from(name), data])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
