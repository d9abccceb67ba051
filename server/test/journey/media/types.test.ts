import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { readGivenMedia } from '../../../src/journey/media/read-given.ts'
import { Refusal } from '../../../src/platform/refusal.ts'

/** The smallest file of a format, or the beginning of one. */
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const base64 = (text: string) => Buffer.from(text, 'base64')
const text = (content: string) => Buffer.from(content)
const box = (brand: string) =>
  Buffer.concat([hex('0000 0018'), text(`ftyp${brand}`), hex('0000 0200'), text('isomiso2')])
const ogg = (codec: string) =>
  Buffer.concat([text('OggS'), hex('0002'), Buffer.alloc(22), text(codec.padEnd(20, '\0'))])

function zip(entries: Record<string, string>): Buffer {
  const locals = Object.entries(entries).map(([name, content]) => {
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04034b50, 0)
    header.writeUInt16LE(20, 4)
    header.writeUInt32LE(content.length, 18)
    header.writeUInt32LE(content.length, 22)
    header.writeUInt16LE(name.length, 26)
    return Buffer.concat([header, text(name), text(content)])
  })
  return Buffer.concat([...locals, hex('504b 0506'), Buffer.alloc(18)])
}

const office = 'application/vnd.openxmlformats-officedocument'
const docxType = `${office}.wordprocessingml.document`
const xlsxType = `${office}.spreadsheetml.sheet`
const openXml = (type: string) =>
  zip({ '[Content_Types].xml': `<Types><Override ContentType="${type}.main+xml"/></Types>` })

const png = base64('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==')
const jpeg = Buffer.concat([hex('ffd8 ffe0 0010'), text('JFIF\0'), hex('0101 0000 0100 0100 00 ffd9')])
const gif = base64('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7')
const webp = base64('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA')
const tiff = Buffer.concat([hex('4949 2a00'), hex('0000 0200'), Buffer.alloc(0x20000 - 8, 7), hex('0000 0000 0000')])
const pdf = text('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF')
const plainZip = zip({ 'a.txt': 'hello' })
const docx = openXml(docxType)
const odt = zip({ mimetype: 'application/vnd.oasis.opendocument.text' })
const oldWord = Buffer.concat([hex('d0cf 11e0 a1b1 1ae1'), Buffer.alloc(600)])
const mp3 = Buffer.concat([hex('fffb 9000'), Buffer.alloc(413)])
const taggedMp3 = Buffer.concat([text('ID3'), hex('0400 0000 0000 05'), Buffer.alloc(9), mp3])
const coveredMp3 = Buffer.concat([text('ID3'), hex('0400 0000 0800 00'), Buffer.alloc(0x20000, 1), mp3])
const wav = Buffer.concat([text('RIFF'), hex('2400 0000'), text('WAVEfmt '), Buffer.alloc(28)])
const webm = Buffer.concat([hex('1a45 dfa3 87 4282 84'), text('webm')])
const exe = Buffer.concat([text('MZ'), hex('9000 0300 0000'), Buffer.alloc(60)])
const html = text('<!doctype html><script>alert(1)</script>')
const svg = text('<svg xmlns="http://www.w3.org/2000/svg"/>')
const xml = text('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>')
const vcard = text('BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ana\r\nEND:VCARD\r\n')
const eicar = text('X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*')
const json = text('{"a":1}')

const fitting: [what: string, bytes: Buffer, types: string[]][] = [
  ['PNG', png, ['image/png', 'IMAGE/PNG', 'image/png; name=a', 'image/x-png', 'application/octet-stream']],
  ['JPEG', jpeg, ['image/jpeg', 'image/jpg', 'image/pjpeg', 'binary/octet-stream']],
  ['GIF', gif, ['image/gif']],
  ['WebP', webp, ['image/webp']],
  ['TIFF with its list of contents at the end', tiff, ['image/tiff', 'image/tif', 'image/x-nikon-nef']],
  ['icon', hex('0000 0100 0100 1010'), ['image/x-icon', 'image/vnd.microsoft.icon']],
  ['HEIC', box('heic'), ['image/heic', 'image/heif']],
  ['AVIF by the name of its container', box('mif1'), ['image/avif', 'image/heif']],
  ['PDF', pdf, ['application/pdf', 'application/x-pdf']],
  ['ZIP', plainZip, ['application/zip', 'application/x-zip-compressed', 'application/vnd.example+zip', docxType]],
  ['Word', docx, [docxType, 'application/zip', 'application/octet-stream']],
  ['Excel', openXml(xlsxType), [xlsxType]],
  ['OpenDocument', odt, ['application/vnd.oasis.opendocument.text', 'application/zip']],
  ['old Word', oldWord, ['application/msword', 'application/vnd.ms-excel', 'application/x-cfb']],
  ['RTF', text('{\\rtf1 hello}'), ['application/rtf', 'text/rtf', 'application/msword']],
  ['gzip', gzipSync('hello'), ['application/gzip', 'application/x-gzip', 'application/x-tgz']],
  ['MP4', box('isom'), ['video/mp4', 'audio/mp4', 'audio/x-m4a', 'video/3gpp', 'audio/3gpp']],
  ['M4A', box('M4A '), ['audio/mp4', 'audio/m4a', 'audio/x-m4a', 'video/mp4']],
  ['QuickTime', box('qt  '), ['video/quicktime', 'video/mp4']],
  ['3GPP', box('3gp4'), ['video/3gpp', 'audio/3gpp']],
  ['MP3', mp3, ['audio/mpeg', 'audio/mp3', 'audio/x-mpeg']],
  ['MP3 with a tag and a gap', taggedMp3, ['audio/mpeg', 'audio/mp3']],
  ['MP3 with a cover', coveredMp3, ['audio/mpeg']],
  ['WAV', wav, ['audio/wav', 'audio/wave', 'audio/x-wav', 'audio/vnd.wave']],
  ['Opus', ogg('OpusHead'), ['audio/ogg', 'audio/ogg; codecs=opus', 'audio/opus', 'video/ogg', 'application/ogg']],
  ['Vorbis', ogg('\x01vorbis'), ['audio/ogg', 'application/ogg']],
  ['WebM', webm, ['video/webm', 'audio/webm', 'video/x-matroska']],
  ['program', exe, ['application/x-msdownload', 'application/octet-stream']],
  [
    'text',
    text('Grüße, 🌱\n'),
    ['text/plain', 'text/plain;charset=utf-8', 'text/markdown', 'application/x-unheard-of'],
  ],
  ['CSV', text('a,b\n1,2\n'), ['text/csv', 'application/csv', 'text/plain']],
  ['JSON', json, ['application/json', 'text/json', 'application/ld+json', 'text/plain']],
  ['SVG', svg, ['image/svg+xml', 'text/plain', 'application/xml']],
  ['XML', xml, ['application/xml', 'text/xml', 'image/svg+xml', 'application/xhtml+xml', 'text/html', 'text/plain']],
  ['HTML', html, ['text/html', 'text/plain']],
  ['EICAR', eicar, ['text/plain', 'application/octet-stream']],
  ['vCard', vcard, ['text/vcard', 'text/x-vcard', 'text/plain']],
  ['bytes of no known type', hex('00ff 1234 5678'), ['application/x-unheard-of', 'application/octet-stream']],
  ['bytes that begin as zlib', hex('7801 0300'), ['application/zlib']],
]

for (const [what, bytes, types] of fitting) {
  test(`${what} is accepted as ${types.join(', ')}`, async () => {
    for (const type of types) {
      const given = await readGivenMedia(`data:${type};base64,${bytes.toString('base64')}`, type)
      assert.deepEqual(given, { kind: 'inline', contentType: type.split(';')[0]?.toLowerCase(), bytes })
    }
  })
}

for (const words of [
  'BMW',
  'MZ',
  'GIFs',
  'ID3 tags',
  'MAC list',
  'the free',
  'The wide',
  'solid',
  'FORM',
  '%!TEX',
  'SQLi',
]) {
  test(`a text that begins with ${words} is accepted as text`, async () => {
    const bytes = text(`${words} is how this one begins. ${'G'.repeat(400)}`)
    const given = await readGivenMedia(`data:text/plain;base64,${bytes.toString('base64')}`, 'text/plain')
    assert.deepEqual(given, { kind: 'inline', contentType: 'text/plain', bytes })
  })
}

const mismatches: [what: string, bytes: Buffer, types: string[]][] = [
  [
    'HTML',
    html,
    ['image/png', 'image/jpeg', 'image/gif', 'application/pdf', 'video/mp4', 'audio/mpeg', 'application/zip'],
  ],
  ['PNG', png, ['image/jpeg', 'image/gif', 'image/svg+xml', 'text/plain', 'application/x-unheard-of', 'video/webm']],
  ['JPEG', jpeg, ['image/png', 'text/html', 'application/json']],
  ['GIF', gif, ['image/png', 'text/javascript', 'text/plain']],
  ['ZIP', plainZip, ['application/pdf', 'image/png', 'text/plain', 'application/gzip', 'application/x-unix-archive']],
  [
    'Word',
    docx,
    ['application/pdf', xlsxType, 'application/vnd.ms-word.document.macroEnabled.12', 'application/msword'],
  ],
  ['old Word', oldWord, ['application/zip', docxType, 'application/pdf', 'text/plain']],
  [
    'PDF',
    pdf,
    ['application/zip', 'image/png', 'text/plain', 'text/html', 'application/json', 'application/x-unheard-of'],
  ],
  ['PDF after a byte order mark', Buffer.concat([hex('efbbbf'), pdf]), ['text/plain']],
  ['RTF', text('{\\rtf1 hello}'), ['text/plain', 'application/pdf']],
  ['PostScript', text('%!PS-Adobe-3.0\n'), ['text/plain', 'application/pdf']],
  ['GIF of characters alone', text('GIF89a=1;alert(1)'), ['text/javascript', 'image/png']],
  ['MP4', box('isom'), ['video/webm', 'audio/mpeg', 'image/heic', 'text/plain']],
  ['HEIC', box('heic'), ['image/jpeg', 'video/mp4']],
  ['MP3', mp3, ['audio/wav', 'audio/ogg', 'video/mp4', 'image/png']],
  ['WAV', wav, ['audio/mpeg', 'image/webp', 'video/avi']],
  ['Opus', ogg('OpusHead'), ['audio/mpeg', 'video/webm']],
  ['Matroska', Buffer.concat([hex('1a45 dfa3 8b 4282 88'), text('matroska')]), ['video/webm', 'video/mp4']],
  ['program', exe, ['image/png', 'application/pdf', 'text/plain', 'application/x-unheard-of', 'application/zip']],
  ['EICAR', eicar, ['application/x-msdownload', 'image/png']],
  [
    'text',
    text('hello'),
    ['image/webp', 'text/vcard', 'text/calendar', 'text/vtt', 'application/gzip', 'text/rtf', docxType],
  ],
  ['XML', xml, ['application/json', 'text/csv', 'image/png']],
  ['vCard', vcard, ['text/calendar', 'text/csv', 'image/png']],
  ['a text with NUL', text('a\0b'), ['text/plain', 'text/csv', 'image/svg+xml', 'application/json', 'application/xml']],
  ['a text in Latin-1', hex('47 72 fc df 65'), ['text/plain', 'text/csv', 'application/ld+json', 'image/svg+xml']],
  ['a text in UTF-16', Buffer.from('\ufeffhello', 'utf16le'), ['text/plain', 'text/xml']],
  ['a signature with control characters', text('ID3\x04\x01\x01\x01\x01\x01\x01 hello'), ['text/plain', 'text/csv']],
  ['one byte', text('B'), ['image/bmp', 'image/png']],
]

for (const [what, bytes, types] of mismatches) {
  test(`${what} is refused as ${types.join(', ')}`, async () => {
    for (const type of types) {
      const reading = readGivenMedia(`data:${type};base64,${bytes.toString('base64')}`, type)
      await assert.rejects(reading, (error) => {
        assert.ok(error instanceof Refusal, String(error))
        assert.equal(error.code, 'INVALID_REQUEST')
        assert.match(error.message, /customData\.mediaUrl is not .* customData\.mediaContentType/)
        return true
      })
    }
  })
}

test('crafted bytes are accepted or refused, and never cause another error', async () => {
  const starts = [
    docx.subarray(0, 90),
    plainZip,
    gzipSync('x'),
    text('ID3'),
    png,
    tiff.subarray(0, 16),
    webm,
    ogg('OpusHead'),
  ]
  const start = fc.constantFrom(
    ...starts,
    hex('3026b2758e66cf11a6d9'),
    text('!<arch>\n'),
    hex('efbbbf'),
    hex('04000000'),
  )
  const type = fc.constantFrom('image/png', 'application/zip', 'text/plain', 'audio/mpeg', 'application/x-unheard-of')
  await fc.assert(
    fc.asyncProperty(start, fc.nat(100), fc.uint8Array({ maxLength: 400 }), type, async (head, cut, tail, type) => {
      const bytes = Buffer.concat([head.subarray(0, head.length - Math.min(cut, head.length - 3)), tail])
      const reading = readGivenMedia(`data:${type};base64,${bytes.toString('base64')}`, type)
      await reading.catch((error) => assert.ok(error instanceof Refusal, String(error)))
    }),
    { numRuns: 2_000 },
  )
})
