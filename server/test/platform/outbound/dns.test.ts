import assert from 'node:assert/strict'
import { pbkdf2 } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { readAllowedNetworks } from '../../../src/platform/outbound/allowed-networks.ts'
import { OutboundError } from '../../../src/platform/outbound/call.ts'
import { type Outbound, openOutbound } from '../../../src/platform/outbound/client.ts'
import { type Resolve, resolveBy } from '../../../src/platform/outbound/resolve.ts'
import { recordDials, startDns, startReceiver } from '../../helpers/receivers.ts'

const get = { method: 'GET', headers: {}, mostBytes: 1024, whenLarger: 'cut' } as const

async function failure(attempt: Promise<unknown>): Promise<OutboundError> {
  const error = await attempt.then(
    () => assert.fail('accepted'),
    (error) => error,
  )
  assert.ok(error instanceof OutboundError, String(error))
  assert.match(error.message, /^[A-Z][^\n]+\.$/)
  assert.doesNotMatch(error.message, /\d/)
  return error
}

/** With the default time limit for lookups, unless `limits` has another. */
function openBy(resolve: Resolve, networks = '', limits = {}): Outbound {
  return openOutbound({ allowed: readAllowedNetworks(networks, false), resolve, limits })
}

test('a name is looked up as A and AAAA, and called by address while Host keeps the name', async () => {
  await using receiver = await startReceiver()
  await using dns = await startDns((name, type) => {
    if (name === 'both.example') return type === 'A' ? ['127.0.0.1'] : ['0000:0000:0000:0000:0000:0000:0000:0001']
    if (name === 'alias.example') return type === 'A' ? ['real.example', '127.0.0.1'] : []
    return []
  })
  const outbound = openBy(resolveBy([dns.server]), '127.0.0.1,::1')
  for (const name of ['both.example', 'alias.example']) {
    const url = `http://${name}:${receiver.port}/`
    assert.equal((await outbound.request({ ...get, url })).status, 200)
    assert.equal(receiver.requests.at(-1)?.headers.host, `${name}:${receiver.port}`)
    assert.deepEqual(dns.asked.splice(0).sort(), [`${name} A`, `${name} AAAA`])
  }
  await outbound.close()
})

test('a name with a private address is refused: beside a public one, IPv6 only, behind an alias', async () => {
  await using dns = await startDns((name, type) => {
    if (name === 'public.example') return type === 'A' ? ['93.184.216.34'] : []
    if (name === 'mixed.example') return type === 'A' ? ['93.184.216.34', '10.0.0.1'] : []
    if (name === 'six.example') return type === 'A' ? [] : ['fd00:0000:0000:0000:0000:0000:0000:0001']
    if (name === 'mapped.example') return type === 'A' ? [] : ['0000:0000:0000:0000:0000:ffff:7f00:0001']
    return type === 'A' ? ['inside.example', '192.168.0.1'] : []
  })
  using watch = recordDials()
  const outbound = openBy(resolveBy([dns.server]))
  assert.ok(await outbound.check('https://public.example/'))
  for (const name of ['mixed.example', 'six.example', 'mapped.example', 'alias.example']) {
    const url = `https://${name}/`
    assert.equal((await failure(outbound.check(url))).category, 'blocked_address', name)
    assert.equal((await failure(outbound.request({ ...get, url }))).category, 'blocked_address', name)
  }
  assert.deepEqual(watch.dials, [])
})

test('a name without addresses is dns_error', async () => {
  await using dns = await startDns(() => [])
  const outbound = openBy(resolveBy([dns.server]))
  assert.equal((await failure(outbound.check('https://nowhere.example/'))).category, 'dns_error')
  assert.equal((await failure(outbound.request({ ...get, url: 'https://nowhere.example/' }))).category, 'dns_error')
  assert.equal((await failure(openBy(async () => []).check('https://nowhere.example/'))).category, 'dns_error')
})

test('A records are enough where the name server does not answer for AAAA', async () => {
  await using receiver = await startReceiver()
  await using dns = await startDns((_name, type) => (type === 'A' ? ['127.0.0.1'] : undefined))
  const outbound = openBy(resolveBy([dns.server]), '127.0.0.1', { dnsMs: 1000 })
  assert.equal((await outbound.request({ ...get, url: `http://half.example:${receiver.port}/` })).status, 200)
  await outbound.close()
})

test('fifty lookups at a silent name server time out, and do not block hashing and file access in the thread pool', async () => {
  await using dns = await startDns(() => undefined)
  const outbound = openBy(resolveBy([dns.server]))
  let settled = 0
  const checks = Array.from({ length: 50 }, async (_, at) => {
    const { category } = await failure(outbound.check(`https://name-${at}.example/`))
    settled += 1
    return category
  })
  const began = performance.now()
  const hash = promisify(pbkdf2)
  await Promise.all(Array.from({ length: 8 }, () => hash('secret', 'salt', 1000, 32, 'sha256')))
  await Promise.all(Array.from({ length: 8 }, () => readFile(import.meta.filename)))
  assert.equal(settled, 0, 'the lookups were still waiting')
  assert.deepEqual(new Set(await Promise.all(checks)), new Set(['dns_error']))
  assert.ok(performance.now() - began < 20_000)
  assert.ok(dns.asked.length >= 100)
})

test('a name that is public when it is saved and private when it is called is not called', async () => {
  await using listener = await startReceiver()
  using watch = recordDials()
  let answer = ['93.184.216.34']
  const outbound = openBy(async () => answer)
  const url = `https://rebound.example:${listener.port}/`
  await outbound.check(url)
  answer = ['127.0.0.1']
  assert.equal((await failure(outbound.request({ ...get, url }))).category, 'blocked_address')
  assert.deepEqual(watch.dials, [])
  assert.equal(listener.connections(), 0)
})

test('the addresses that were checked are the ones that are dialled: there is no second lookup', async () => {
  await using other = await startReceiver()
  // In this order: on 127.0.0.2 nobody else has a port, while any port on 127.0.0.1 may be in use.
  await using checked = await startReceiver(undefined, { host: '127.0.0.2', port: other.port })
  using watch = recordDials()
  let lookups = 0
  const outbound = openBy(async () => [lookups++ === 0 ? '127.0.0.2' : '127.0.0.1'], `127.0.0.2:${checked.port}`)
  const url = `http://rebound.example:${checked.port}/`
  assert.equal((await outbound.request({ ...get, url })).status, 200)
  assert.equal((await outbound.request({ ...get, url })).status, 200, 'on the same connection')
  assert.deepEqual([lookups, watch.dials], [1, [`127.0.0.2 ${checked.port}`]])
  await outbound.close()
  await checked.untilClosed()
  assert.equal((await failure(outbound.request({ ...get, url }))).category, 'blocked_address')
  assert.deepEqual([checked.requests.length, other.connections()], [2, 0])
})

test('a connection that ends at another address than was checked is not used', async () => {
  await using receiver = await startReceiver()
  const divert = (message: unknown) => {
    const { socket } = message as { socket: Socket } // as the channel is documented
    Object.defineProperty(socket, 'remoteAddress', { value: '127.0.0.3' })
  }
  const outbound = openBy(async () => ['127.0.0.1'], '127.0.0.1')
  subscribe('net.client.socket', divert)
  try {
    const error = await failure(outbound.request({ ...get, url: `http://diverted.example:${receiver.port}/` }))
    assert.equal(error.category, 'blocked_address')
  } finally {
    unsubscribe('net.client.socket', divert)
  }
  await receiver.untilClosed()
  assert.deepEqual([receiver.connections(), receiver.requests.length], [1, 0])
})

test('the next address is tried when one refuses the connection', async () => {
  await using receiver = await startReceiver(undefined, { host: '127.0.0.5' })
  using watch = recordDials()
  const outbound = openBy(async () => ['127.0.0.3', '::1', '127.0.0.5'], '127.0.0.0/8,::1')
  assert.equal((await outbound.request({ ...get, url: `http://many.example:${receiver.port}/` })).status, 200)
  assert.equal(watch.dials.length, 3)
  await outbound.close()
})
