import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isPublic } from '../../../src/platform/outbound/addresses.ts'
import { hostOf, readTarget } from '../../../src/platform/outbound/check-target.ts'

/** The IANA IPv4 special-purpose registry and multicast; the last is no entry of it, but Azure's own service. */
const special4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
]

/** What the IANA IPv6 special-purpose registry takes out of 2000::/3; everything outside of that is not public. */
const special6 = ['2001:0:0:0:0:0:0:0/23', '2001:db8:0:0:0:0:0:0/32', '2002:0:0:0:0:0:0:0/16']
const special6Too = ['2620:4f:8000:0:0:0:0:0/48', '3fff:0:0:0:0:0:0:0/20']
const mapped = '0:0:0:0:0:ffff:0:0/96'
const otherBorders = [
  '64:ff9b:0:0:0:0:0:0/96',
  '64:ff9b:1:0:0:0:0:0/48',
  'fc00:0:0:0:0:0:0:0/7',
  'fe80:0:0:0:0:0:0:0/10',
]

type Range = { first: bigint; last: bigint }

const ranges4 = special4.map((text) => rangeOf(text, 8n, 32n))
const ranges6 = [...special6, ...special6Too].map((text) => rangeOf(text, 16n, 128n))
const global6 = rangeOf('2000:0:0:0:0:0:0:0/3', 16n, 128n)
const mapped6 = rangeOf(mapped, 16n, 128n)
const borders6 = [...ranges6, global6, mapped6, ...otherBorders.map((text) => rangeOf(text, 16n, 128n))]

/** The first and the last address of a block, as numbers. */
function rangeOf(text: string, partBits: bigint, allBits: bigint): Range {
  const [address = '', bits = ''] = text.split('/')
  const parts = partBits === 8n ? address.split('.').map(BigInt) : address.split(':').map((part) => BigInt(`0x${part}`))
  const first = parts.reduce((sum, part) => (sum << partBits) + part, 0n)
  return { first, last: first + (1n << (allBits - BigInt(bits))) - 1n }
}

const isIn = (value: bigint, { first, last }: Range) => value >= first && value <= last
const isPublic4 = (value: bigint) => !ranges4.some((range) => isIn(value, range))
function isPublic6(value: bigint): boolean {
  if (isIn(value, mapped6)) return isPublic4(value & 0xffffffffn)
  return isIn(value, global6) && !ranges6.some((range) => isIn(value, range))
}

/** Any address, and twice as often one inside or at the border of a block. */
function near(ranges: Range[], most: bigint): fc.Arbitrary<bigint> {
  const edges = ranges.flatMap(({ first, last }) => [first - 1n, first, first + 1n, last - 1n, last, last + 1n])
  const inside = fc.constantFrom(...ranges).chain(({ first, last }) => fc.bigInt({ min: first, max: last }))
  return fc.oneof(
    fc.bigInt({ min: 0n, max: most }),
    inside,
    fc.constantFrom(...edges.filter((edge) => edge >= 0n && edge <= most)),
  )
}

type Written = { text: string; isPublic: boolean }

/** One of the ways in which inet_aton reads an address: 1 to 4 parts, each decimal, octal or hexadecimal. */
const four: fc.Arbitrary<Written> = fc
  .tuple(
    near(ranges4, 2n ** 32n - 1n),
    fc.integer({ min: 1, max: 4 }),
    fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }),
  )
  .map(([value, count, styles]) => {
    const parts = Array.from({ length: count }, (_, at) =>
      at === count - 1 ? value & ((1n << BigInt(8 * (5 - count))) - 1n) : (value >> BigInt(24 - 8 * at)) & 255n,
    )
    return { text: parts.map((part, at) => writtenAs(part, styles[at] ?? 0)).join('.'), isPublic: isPublic4(value) }
  })

function writtenAs(part: bigint, style: number): string {
  if (style === 1) return `0${part.toString(8)}`
  if (style === 2) return `0x${part.toString(16)}`
  return style === 3 ? `0X00${part.toString(16).toUpperCase()}` : part.toString()
}

/** In full, shortened, in capitals, or with a dotted end. */
const six: fc.Arbitrary<Written> = fc
  .tuple(near(borders6, 2n ** 128n - 1n), fc.nat(3))
  .map(([value, style]) => ({ text: `[${writtenSix(value, style)}]`, isPublic: isPublic6(value) }))

function writtenSix(value: bigint, style: number): string {
  const groups = Array.from({ length: 8 }, (_, at) => (value >> BigInt(16 * (7 - at))) & 0xffffn)
  const full = groups.map((group) => group.toString(16).padStart(4, '0')).join(':')
  const short = groups.map((group) => group.toString(16)).join(':')
  if (style === 0) return full
  if (style === 1) return full.toUpperCase()
  if (style === 2) return short.replace(/(^|:)0(:0)+(:|$)/, '::')
  const end = [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
  return `${full.slice(0, 30)}${end}`
}

test('100,000 random addresses, in any notation, are classified as the IANA registries say', () => {
  const seen = { public: 0, other: 0 }
  const property = fc.property(fc.oneof(four, six), ({ text, isPublic: expected }) => {
    assert.equal(isPublic(hostOf(readTarget(`https://${text}/`))), expected, text)
    seen[expected ? 'public' : 'other'] += 1
  })
  fc.assert(property, { numRuns: 100_000 })
  assert.ok(seen.public > 20_000 && seen.other > 20_000, JSON.stringify(seen))
})
