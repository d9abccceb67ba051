import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRanges } from '../../../src/platform/config/ip-ranges.ts'
import { forwardedFor, shareOf } from '../../../src/platform/https-server/client-address.ts'
import { openLimitPerOwner } from '../../../src/platform/https-server/limit-per-owner.ts'

test('an IPv4 address has a share of its own, also where IPv6 carries it', () => {
  assert.equal(shareOf('203.0.113.7'), '203.0.113.7')
  assert.equal(shareOf('::ffff:203.0.113.7'), '203.0.113.7')
  assert.equal(shareOf('::ffff:cb00:7107'), '203.0.113.7')
  assert.notEqual(shareOf('203.0.113.8'), shareOf('203.0.113.7'))
})

test('all addresses of an IPv6 network of 64 bits have one share, whatever their spelling', () => {
  const share = shareOf('2001:db8:1:2::1')
  for (const address of ['2001:db8:1:2::ffff', '2001:0DB8:1:2:3:4:5:6', '2001:db8:1:2::1%eth0']) {
    assert.equal(shareOf(address), share, address)
  }
  for (const address of ['2001:db8:1:3::1', '2001:db8:0:2::1', '2001:db9:1:2::1']) {
    assert.notEqual(shareOf(address), share, address)
  }
})

test('this machine itself, and what is no address, has no limit', () => {
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', undefined, '', 'unknown', '1.2.3']) {
    assert.equal(shareOf(address), undefined, String(address))
  }
})

test('behind proxies the last address that is none of theirs has asked, and what stands before it is not believed', () => {
  const proxies = parseRanges('10.0.0.0/8,2001:db8:ffff::/48') ?? assert.fail()
  const cases: [string | string[] | undefined, string | undefined][] = [
    ['203.0.113.7', '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['198.51.100.1,203.0.113.7 , 10.1.2.3,  ::ffff:10.9.9.9, 2001:db8:ffff::9', '203.0.113.7'],
    [['198.51.100.1', '203.0.113.7, 10.1.2.3'], '203.0.113.7'],
    ['203.0.113.7:5678', '203.0.113.7'],
    ['[2001:db8::1]:5678, 10.1.2.3:80', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['10.1.2.3', undefined],
    [undefined, undefined],
  ]
  for (const [header, client] of cases) assert.equal(forwardedFor(header, proxies), client, String(header))
  assert.equal(shareOf(forwardedFor('', proxies)), undefined)
  assert.equal(shareOf(forwardedFor('198.51.100.1, unknown', proxies)), undefined)
})

test('nobody holds more than a share, and what is given back can be taken again', () => {
  const shares = openLimitPerOwner(2)
  assert.deepEqual([shares.take('a'), shares.take('a'), shares.take('a'), shares.take('b')], [true, true, false, true])
  shares.giveBack('a')
  assert.deepEqual([shares.take('a'), shares.take('a')], [true, false])
  for (let times = 0; times < 10; times += 1) assert.equal(shares.take(undefined), true)
})
