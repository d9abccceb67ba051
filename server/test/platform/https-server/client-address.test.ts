import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRanges } from '../../../src/platform/config/ip-ranges.ts'
import { clientOf, forwardedFor } from '../../../src/platform/https-server/client-address.ts'
import { openLimitPerClient } from '../../../src/platform/https-server/limit-per-client.ts'

test('an IPv4 address is one client, also when mapped to IPv6', () => {
  assert.equal(clientOf('203.0.113.7'), '203.0.113.7')
  assert.equal(clientOf('::ffff:203.0.113.7'), '203.0.113.7')
  assert.equal(clientOf('::ffff:cb00:7107'), '203.0.113.7')
  assert.notEqual(clientOf('203.0.113.8'), clientOf('203.0.113.7'))
})

test('all addresses of an IPv6 /64 network are one client, whatever their spelling', () => {
  const client = clientOf('2001:db8:1:2::1')
  for (const address of ['2001:db8:1:2::ffff', '2001:0DB8:1:2:3:4:5:6', '2001:db8:1:2::1%eth0']) {
    assert.equal(clientOf(address), client, address)
  }
  for (const address of ['2001:db8:1:3::1', '2001:db8:0:2::1', '2001:db9:1:2::1']) {
    assert.notEqual(clientOf(address), client, address)
  }
})

test('loopback addresses, and text that is no address, have no limit', () => {
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', undefined, '', 'unknown', '1.2.3']) {
    assert.equal(clientOf(address), undefined, String(address))
  }
})

test('behind trusted proxies the client is the last address that is not a proxy, and the addresses before it are ignored', () => {
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
  assert.equal(clientOf(forwardedFor('', proxies)), undefined)
  assert.equal(clientOf(forwardedFor('198.51.100.1, unknown', proxies)), undefined)
})

test('no client holds more than its limit, and a released slot can be acquired again', () => {
  const limit = openLimitPerClient(2)
  assert.deepEqual(
    [limit.acquire('a'), limit.acquire('a'), limit.acquire('a'), limit.acquire('b')],
    [true, true, false, true],
  )
  limit.release('a')
  assert.deepEqual([limit.acquire('a'), limit.acquire('a')], [true, false])
  for (let times = 0; times < 10; times += 1) assert.equal(limit.acquire(undefined), true)
})
