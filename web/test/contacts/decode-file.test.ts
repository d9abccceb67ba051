import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeFile, partsOf } from '../../src/contacts/import/decode-file.ts'

const text = 'Name;Straße\r\nZoë 😀;日本\r\n'

test('a file is decoded as what it is: UTF-8 with or without its mark, UTF-16 by its mark, else Windows-1252', () => {
  const swapped = Buffer.from(`\ufeff${text}`, 'utf16le').swap16()
  const files: [Uint8Array, string, string][] = [
    [Buffer.from(text), text, 'UTF-8'],
    [Buffer.from(`\ufeff${text}`), text, 'UTF-8'],
    [Buffer.from(`\ufeff${text}`, 'utf16le'), text, 'UTF-16'],
    [swapped, text, 'UTF-16'],
    [Buffer.from('Zo\xeb;\x80 5', 'latin1'), 'Zoë;€ 5', 'Windows-1252'],
  ]
  for (const [bytes, decoded, encoding] of files) assert.deepEqual(decodeFile(bytes), { text: decoded, encoding })
  assert.equal(decodeFile(Buffer.from('PK\0\0')), undefined)
})

test('parts make up the text, and cut no character in two', () => {
  for (const most of [2, 3, 5, 100]) {
    const parts = [...partsOf('a😀b😀😀c', most)]
    assert.equal(parts.join(''), 'a😀b😀😀c')
    assert.ok(parts.every((part) => part.isWellFormed() && part.length <= most))
  }
})
