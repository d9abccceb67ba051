import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { test } from 'node:test'
import { readAllowedNetworks } from '../../../src/platform/outbound/allowed-networks.ts'
import { OutboundError } from '../../../src/platform/outbound/call.ts'
import { type Outbound, openOutbound } from '../../../src/platform/outbound/client.ts'
import { recordDials, startReceiver } from '../../helpers/receivers.ts'

const names: Record<string, string[]> = {
  'public.example': ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'],
  'mixed.example': ['93.184.216.34', '10.0.0.1'],
  'mixed-six.example': ['93.184.216.34', 'fd00::1'],
  'private-six.example': ['fd00::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'garbage.example': ['93.184.216.34', 'not an address'],
  'here.example': ['127.0.0.1'],
  'half-here.example': ['127.0.0.1', '93.184.216.34'],
  'service.internal': ['10.1.2.3'],
  redis: ['10.1.2.3'],
}

function openWith(networks: string): Outbound {
  const resolve = async (name: string) => names[name] ?? assert.fail(`unexpected lookup of ${name}`)
  return openOutbound({ allowed: readAllowedNetworks(networks, false), resolve })
}

/** Refused both by `check` and by `request`, with one sentence that reveals nothing about our network. */
async function assertBlocked(outbound: Outbound, url: string): Promise<void> {
  const call = { method: 'POST', headers: {}, body: '{}', mostBytes: 1024, whenLarger: 'cut' } as const
  for (const attempt of [() => outbound.check(url), () => outbound.request({ ...call, url })]) {
    const error = await attempt().then(
      () => assert.fail(`accepted: ${url}`),
      (error) => error,
    )
    assert.ok(error instanceof OutboundError, `${url}: ${error}`)
    assert.equal(error.category, 'blocked_address', `${url}: ${error.message}`)
    assert.match(error.message, /^[A-Z][^\n]{10,120}\.$/)
    assert.doesNotMatch(error.message.replaceAll('2048', ''), /\d/, error.message)
    assert.equal(error.cause, undefined)
  }
}

const literals = {
  'this network': ['0.0.0.0', '0.1.2.3'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  'carrier NAT': ['100.64.0.1', '100.127.255.255', '100.100.100.200'],
  loopback: ['127.0.0.1', '127.0.0.2', '127.255.255.254', '[::1]'],
  'link-local and metadata': ['169.254.169.254', '169.254.0.1', '[fe80::1]', '[fd00:ec2::254]', '168.63.129.16'],
  'multicast, reserved, broadcast': ['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '[ff02::1]'],
  'protocol assignments': ['192.0.0.1', '192.0.0.170', '192.88.99.1', '198.18.0.1', '192.31.196.1', '[2001:20::1]'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '[2001:db8::1]', '[3fff::1]'],
  'unique local, site-local, unspecified': ['[fc00::1]', '[fdff::1]', '[fec0::1]', '[::]'],
  'IPv4 inside IPv6': ['[::ffff:127.0.0.1]', '[::ffff:10.0.0.1]', '[::127.0.0.1]', '[::ffff:0:127.0.0.1]'],
  'translated and tunnelled': ['[64:ff9b::7f00:1]', '[64:ff9b:1::1]', '[2002:7f00:1::1]', '[2001:0:7f00:1::1]'],
  'not yet allocated': ['[4000::1]', '[5f00::1]', '[100::1]', '[e000::1]'],
}

for (const [kind, hosts] of Object.entries(literals)) {
  test(`no address of this kind is called: ${kind}`, async () => {
    using watch = recordDials()
    const outbound = openWith('')
    for (const host of hosts) {
      for (const url of [`https://${host}/`, `https://${host}:8443/x`, `http://${host}/`])
        await assertBlocked(outbound, url)
    }
    assert.deepEqual(watch.dials, [])
  })
}

test('loopback is refused in any notation, and the listener there is not reached', async () => {
  await using listener = await startReceiver(undefined, { host: '::' })
  using watch = recordDials()
  const outbound = openWith('')
  const hosts = [
    ...['2130706433', '017700000001', '0x7f000001', '0x7F.0.0.1', '0177.0.0.1', '127.1', '127.0.1', '0', '0.0'],
    ...['１２７.０.０.１', '①②⑦.⓪.⓪.①', '127。0。0。1', '127.0.0.1.', '%31%32%37.0.0.1', '127%2e0.0.1', '0x7f.1'],
    ...['[::1]', '[0:0:0:0:0:0:0:1]', '[::0001]', '[::FFFF:7f00:1]', '[::FfFf:127.0.0.1]', '[0::0:ffff:7f00:0001]'],
    ...['localhost', 'LOCALHOST', 'LocalHost.', 'ⓛocalhost', 'loc%61lhost', 'my.localhost', 'localhost.'],
  ]
  for (const host of hosts) {
    for (const scheme of ['https', 'http']) await assertBlocked(outbound, `${scheme}://${host}:${listener.port}/`)
  }
  assert.deepEqual(watch.dials, [])
  assert.equal(listener.connections(), 0)

  // The same counters do count an allowed call.
  const allowing = openWith('::1')
  const url = `http://[::1]:${listener.port}/`
  await allowing.request({ method: 'GET', url, headers: {}, mostBytes: 10, whenLarger: 'cut' })
  assert.deepEqual(watch.dials, [`::1 ${listener.port}`])
  assert.equal(listener.connections(), 1)
  await allowing.close()
})

test('a name is refused when any of its addresses is not public', async () => {
  using watch = recordDials()
  const outbound = openWith('')
  for (const name of ['mixed', 'mixed-six', 'private-six', 'mapped', 'garbage', 'here', 'half-here']) {
    await assertBlocked(outbound, `https://${name}.example/`)
  }
  assert.equal((await outbound.check('https://public.example/')).href, 'https://public.example/')
  assert.deepEqual(watch.dials, [])
})

test('only plain https addresses of public names and ports pass, and come back as the parser wrote them', async () => {
  const outbound = openWith('')
  const pass = {
    'https://public.example': 'https://public.example/',
    'HTTPS://PUBLIC.example.:443/a b?c=ä': 'https://public.example/a%20b?c=%C3%A4',
    'https://public.example:8443/': 'https://public.example:8443/',
    'https://public.example:80/': 'https://public.example:80/',
    'https://public.example:65535/': 'https://public.example:65535/',
    'https://93.184.216.34/': 'https://93.184.216.34/',
    'https://[2606:2800:220:1::1]/': 'https://[2606:2800:220:1::1]/',
    [`https://public.example/${'x'.repeat(2048 - 23)}`]: `https://public.example/${'x'.repeat(2048 - 23)}`,
  }
  for (const [given, written] of Object.entries(pass)) assert.equal((await outbound.check(given)).href, written)

  using watch = recordDials()
  const refused = [
    ...[
      '',
      'public.example',
      '//public.example/',
      'https://',
      'https:///',
      'https://public.example:99999/',
      'https://./',
    ],
    ...['ftp://public.example/', 'file:///etc/passwd', 'gopher://public.example/', 'ws://public.example/', 'data:,x'],
    ...['javascript:alert(1)', 'blob:https://public.example/x', 'unix:/run/x.sock', 'http://public.example/'],
    ...['https://user@public.example/', 'https://user:secret@public.example/', 'https://:secret@public.example/'],
    ...[
      'https://public.example@127.0.0.1/',
      'https://public.example%40127.0.0.1/',
      'https://127.0.0.1\\@public.example/',
    ],
    ...['https://public.example\\@127.0.0.1/', 'https:\\\\public.example/', 'https://public.example/\\x'],
    ...[
      'https://public\t.example/',
      'https://public.exa\nmple/',
      '\thttps://public.example/',
      'https://public.example/\r\n',
    ],
    ...[
      'https://public.example/\0',
      'https://public.example/#',
      'https://public.example/#x',
      'https://public..example/',
    ],
    ...['https://public.example../', 'https://pub!ic.example/', `https://${'x'.repeat(64)}.example/`],
    ...[`https://${'x.'.repeat(127)}example/`, `https://public.example/${'x'.repeat(2049 - 23)}`],
    `https://public.example/${'ä'.repeat(700)}`,
    ...[0, 1, 21, 22, 25, 110, 444, 1023, 2049, 5060, 6000, 6379, 6667, 10_080].map(
      (p) => `https://public.example:${p}/`,
    ),
    ...['redis', 'localhost', 'x.localhost', 'printer.local', 'service.internal', 'nas.home.arpa', 'home.arpa'].map(
      (name) => `https://${name}/`,
    ),
  ]
  for (const url of refused) await assertBlocked(outbound, url)
  assert.deepEqual(watch.dials, [])
})

test('an allowed network and port pass, adjacent addresses and other ports do not', async () => {
  await using here = await startReceiver(undefined, { host: '127.0.0.1' })
  await using nextAddress = await startReceiver(undefined, { host: '127.0.0.2', port: here.port })
  await using otherPort = await startReceiver(undefined, { host: '127.0.0.1' })
  const outbound = openWith(`127.0.0.1/32:${here.port}`)
  const call = { method: 'POST', headers: {}, body: '{}', mostBytes: 1024, whenLarger: 'cut' } as const
  for (const host of ['127.0.0.1', '2130706433', 'localhost', 'x.localhost', 'here.example', '[::ffff:127.0.0.1]']) {
    const url = `http://${host}:${here.port}/`
    assert.equal((await outbound.request({ ...call, url })).status, 200, url)
    await outbound.check(url)
  }
  const port = here.port
  for (const url of [nextAddress.url, otherPort.url, `http://[::1]:${port}/`, `http://half-here.example:${port}/`]) {
    await assertBlocked(outbound, url)
  }
  assert.equal(here.requests.length, 6)
  assert.deepEqual([nextAddress.connections(), otherPort.connections()], [0, 0])
  await outbound.close()
})

test('where the operator allows the address, any name, port and plain http pass, but malformed addresses do not', async () => {
  const outbound = openWith('10.0.0.0/8, 127.0.0.1')
  for (const url of ['http://redis:6379/', 'http://service.internal/', 'https://redis:25/', 'http://10.9.9.9:22/']) {
    assert.equal((await outbound.check(url)).href, url)
  }
  // One address of two is allowed, the other is public: then the rules for public addresses apply.
  assert.ok(await outbound.check('https://half-here.example/'))
  const refused = ['http://half-here.example/', 'https://half-here.example:25/', 'http://user@redis/', 'ftp://redis/']
  for (const url of [...refused, 'http://redis/#x', 'http://public.example/']) await assertBlocked(outbound, url)
})

test('localhost works if the receiver listens on one of its two addresses, or the operator allows one', async () => {
  const call = { method: 'GET', headers: {}, mostBytes: 10, whenLarger: 'cut' } as const
  for (const host of ['127.0.0.1', '::1']) {
    for (const networks of [undefined, host]) {
      await using receiver = await startReceiver(undefined, { host })
      const outbound = openOutbound({ allowed: readAllowedNetworks(networks, true) })
      const answer = await outbound.request({ ...call, url: `http://localhost:${receiver.port}/` })
      assert.equal(answer.status, 200)
      assert.equal(receiver.requests[0]?.headers.host, `localhost:${receiver.port}`)
      await outbound.close()
    }
  }
})

test("this machine's own public address is refused unless it is allowed", async (t) => {
  await openWith('').check('https://93.184.216.34/')
  const card = { address: '93.184.216.34', family: 'IPv4', netmask: '', mac: '', internal: false, cidr: null } as const
  t.mock.method(os, 'networkInterfaces', () => ({ eth0: [card], eth1: undefined }))
  syncBuiltinESMExports()
  try {
    for (const url of ['https://93.184.216.34/', 'https://public.example/']) await assertBlocked(openWith(''), url)
    await openWith('93.184.216.34').check('https://public.example/')
  } finally {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  }
})
