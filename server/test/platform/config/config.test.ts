import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../../src/platform/config/config.ts'
import { readKeepDays } from '../../../src/platform/config/keep-days.ts'
import { OperatorError } from '../../../src/platform/operator-error.ts'

const root = resolve(import.meta.dirname, '../../../..')

const defaults = {
  host: '127.0.0.1',
  port: 8443,
  publicUrl: 'https://localhost:8443',
  dataDir: join(root, 'data'),
  databaseUrl: undefined,
  archiveDir: undefined,
  backup: undefined,
  secretKey: undefined,
  tlsFiles: undefined,
  allowPlainHttp: false,
  channelOrigins: new Map(),
  owner: { email: undefined, password: undefined, apiKey: undefined },
  rateLimitPerMinute: 600,
  role: 'all',
  processes: 1,
  servesApp: true,
  drainSeconds: 0,
  chatStreams: 2_500,
  delivery: {
    retrySeconds: [5, 15, 60, 300, 900, 1800, 3600, 7200, 21_600, 43_200],
    inFlightPerReceiver: 4,
    inFlightPerChannel: 16,
  },
  metrics: undefined,
  keepDays: readKeepDays(() => undefined),
  logLevel: 'info',
  logFormat: undefined,
}

const names = ['HOST', 'PORT', 'PUBLIC_URL', 'DATA_DIR', 'DATABASE_URL', 'SECRET_KEY', 'TLS_CERT_FILE', 'TLS_KEY_FILE']
const others = ['TRUST_PROXY', 'ALLOW_PLAIN_HTTP', 'OWNER_EMAIL', 'OWNER_PASSWORD', 'OWNER_API_KEY', 'LOG_LEVEL']
const recent = ['METRICS_HOST', 'METRICS_PORT', 'ARCHIVE_DIR', 'DRAIN_SECONDS', 'PROCESSES', 'BACKUP_TO', 'LOG_FORMAT']

/** The message that stops a start with these settings. */
function refusal(environment: Record<string, string>): string {
  try {
    readConfig(environment)
  } catch (error) {
    assert.ok(error instanceof OperatorError, `${error} for ${JSON.stringify(environment)}`)
    return error.message
  }
  return assert.fail(`accepted: ${JSON.stringify(environment)}`)
}

test('without any setting the defaults hold, and an empty setting counts as unset', () => {
  const { trustedProxies, outboundAllowed, namesSet, ...config } = readConfig({})
  assert.deepEqual(config, defaults)
  assert.deepEqual([trustedProxies.isEmpty, namesSet.size], [true, 0])
  assert.deepEqual(outboundAllowed.entries, ['127.0.0.0/8', '::1/128'])
  for (const empty of ['', ' ', '\n']) {
    const every = [...names, ...others, ...recent, 'RATE_LIMIT_PER_MINUTE'].filter(
      (name) => empty === '' || name !== 'OWNER_PASSWORD',
    )
    const settings = Object.fromEntries(every.map((name) => [name, empty]))
    const { trustedProxies: none, outboundAllowed: same, namesSet: _, ...read } = readConfig(settings)
    assert.deepEqual(read, defaults)
    assert.equal(none.isEmpty, true)
    assert.deepEqual(same.entries, outboundAllowed.entries)
  }
})

test('every setting is read', () => {
  const { trustedProxies, outboundAllowed, namesSet, ...config } = readConfig({
    HOST: '0.0.0.0',
    PORT: ' 443 ',
    PUBLIC_URL: 'https://chat.example.com/',
    DATA_DIR: '/var/lib/patchbay',
    DATABASE_URL: 'postgresql://user:secret@db.example.com/patchbay',
    SECRET_KEY: 'sixteen letters!',
    TLS_CERT_FILE: '/etc/tls/cert.pem',
    TLS_KEY_FILE: 'tls/key.pem',
    TRUST_PROXY: '10.0.0.0/8, 192.168.1.5 ,fd00::/8',
    OWNER_EMAIL: 'ana@example.com',
    OWNER_PASSWORD: ' with spaces ',
    OWNER_API_KEY: 'sixteen_letters-',
    RATE_LIMIT_PER_MINUTE: '0',
    OUTBOUND_ALLOWED_NETWORKS: '10.0.0.0/8, [::1/128]:9000',
    ROLE: 'worker',
    SERVE_APP: '1',
    PROCESSES: '4',
    DRAIN_SECONDS: '20',
    DELIVERY_RETRY_SECONDS: '1, 2.5',
    WEBHOOK_IN_FLIGHT: '8',
    CHANNEL_IN_FLIGHT: '9',
    CHAT_STREAMS: '70',
    CHANNEL_ORIGINS: 'telegram=http://127.0.0.1:8081',
    METRICS_HOST: '10.0.0.5',
    METRICS_PORT: '9464',
    LOG_LEVEL: 'debug',
    LOG_FORMAT: 'text',
  })
  assert.deepEqual(config, {
    host: '0.0.0.0',
    port: 443,
    publicUrl: 'https://chat.example.com',
    dataDir: '/var/lib/patchbay',
    databaseUrl: 'postgresql://user:secret@db.example.com/patchbay',
    archiveDir: undefined,
    backup: undefined, // only without DATABASE_URL
    secretKey: 'sixteen letters!',
    tlsFiles: { cert: '/etc/tls/cert.pem', key: join(root, 'tls/key.pem') },
    allowPlainHttp: false,
    channelOrigins: new Map([['telegram.api', 'http://127.0.0.1:8081']]),
    owner: { email: 'ana@example.com', password: ' with spaces ', apiKey: 'sixteen_letters-' },
    rateLimitPerMinute: 0,
    role: 'worker',
    servesApp: false,
    processes: 4,
    drainSeconds: 20,
    chatStreams: 70,
    delivery: { retrySeconds: [1, 2.5], inFlightPerReceiver: 8, inFlightPerChannel: 9 },
    metrics: { host: '10.0.0.5', port: 9464 },
    keepDays: defaults.keepDays,
    logLevel: 'debug',
    logFormat: 'text',
  })
  assert.deepEqual(outboundAllowed.entries, ['10.0.0.0/8', '[::1/128]:9000'])
  assert.deepEqual([namesSet.has('PORT'), namesSet.has('KEEP_AUDIT_DAYS')], [true, false])
  for (const inside of ['10.1.2.3', '::ffff:10.1.2.3', '192.168.1.5', 'fd00::1'])
    assert.ok(trustedProxies.includes(inside))
  for (const outside of ['11.1.2.3', '192.168.1.6', 'fe80::1', '', undefined])
    assert.ok(!trustedProxies.includes(outside))
})

test('the public URL defaults to host and port', () => {
  const publicUrl = (environment: Record<string, string>) => readConfig(environment).publicUrl
  assert.equal(publicUrl({ PORT: '9000' }), 'https://localhost:9000')
  assert.equal(publicUrl({ HOST: '::' }), 'https://localhost:8443')
  assert.equal(publicUrl({ HOST: '2001:db8::1' }), 'https://[2001:db8::1]:8443')
  assert.equal(publicUrl({ HOST: 'chat.example.com' }), 'https://chat.example.com:8443')
})

const malformed: Record<string, string[]> = {
  HOST: ['local host', 'http://localhost', '-', '[::1]', 'a_b', '127.0.0.1:8443'],
  PORT: ['x', '-1', '65536', '8443.5', '0x20', '1e3', '٨', '8443 8444'],
  PUBLIC_URL: ['chat.example.com', 'ftp://example.com', 'https://', '/v1', 'https://example.com?x=1', 'javascript:1'],
  DATABASE_URL: [
    ...['localhost', 'mysql://root@localhost/x', 'host=localhost', 'http://localhost/db', 'postgres://a:port,b/x'],
    ...['postgres://a,b/x?target_session_attrs=standby', 'postgres:///x?host=a,b'],
  ],
  SECRET_KEY: ['short', 'fifteen letters'],
  TRUST_PROXY: [
    ...['localhost', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0', '::/129', '10.0.0.0/-1', 'any'],
    '10.0.0.0/8 ::1',
  ],
  OUTBOUND_ALLOWED_NETWORKS: [
    ...['localhost', 'any', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0', '10.0.0.0/-1', '10.0.0.0/8 ::1'],
    ...['10.0.0.0/8:', '10.0.0.0/8:0', '10.0.0.0/8:65536', '10.0.0.0/8:http', '10.0.0.0:80/8', '[10.0.0.0/8]:80'],
    ...['::/129', '::1/128:x', '[::1', '::1]', '[::1]/128', '[::1/128]:', '[]:80', '[::1]:80:80', 'fe80::1%eth0'],
    ...['::ffff:10.0.0.1', '*', '10.0.0.0/8;10.1.0.0/16', '10.0.0.0/8,nonsense', 'http://10.0.0.1'],
  ],
  ALLOW_PLAIN_HTTP: ['yes', 'true', '2', '01'],
  DRAIN_SECONDS: ['-1', '601', 'a while'],
  PROCESSES: ['0', '65', '-1', '1.5', 'all'],
  RATE_LIMIT_PER_MINUTE: ['x', '-1', '1.5', '1e3', '99999999999', 'Infinity'],
  METRICS_HOST: ['local host', '-', '127.0.0.1:9464'],
  METRICS_PORT: ['x', '-1', '65536', '9464.5'],
  LOG_LEVEL: ['loud', 'INFO', '30'],
}

for (const [name, values] of Object.entries(malformed)) {
  test(`a malformed ${name} stops the start with one sentence that names it`, () => {
    for (const value of values) {
      const sentence = refusal({ [name]: value })
      assert.match(sentence, new RegExp(`^${name}\\b[^\\n]+$`))
    }
  })
}

test('a malformed credential for the first start stops it with one sentence that names it and keeps it secret', () => {
  const bad = {
    OWNER_EMAIL: ['ana', 'ana@', '@example.com'],
    OWNER_API_KEY: ['tooshort', 'sixteen letters!', 'x'.repeat(129)],
    OWNER_PASSWORD: ['short', 'x'.repeat(257)],
  }
  for (const [name, values] of Object.entries(bad)) {
    for (const value of values) {
      const sentence = refusal({ [name]: value })
      assert.match(sentence, new RegExp(`^${name}\\b[^\\n]+$`))
      if (name !== 'OWNER_EMAIL') assert.ok(!sentence.includes(value), sentence)
    }
  }
})

test('TLS_CERT_FILE and TLS_KEY_FILE are required together', () => {
  for (const name of ['TLS_CERT_FILE', 'TLS_KEY_FILE']) {
    assert.match(refusal({ [name]: '/etc/tls/x.pem' }), /TLS_CERT_FILE.*TLS_KEY_FILE/)
  }
})

test('metrics are served on loopback unless METRICS_HOST says otherwise, and not at all without METRICS_PORT', () => {
  assert.equal(readConfig({}).metrics, undefined)
  assert.deepEqual(readConfig({ METRICS_PORT: '9464' }).metrics, { host: '127.0.0.1', port: 9464 })
})

test('plain HTTP can be allowed on loopback only', () => {
  for (const HOST of ['127.0.0.1', '127.1.2.3', 'localhost', '::1']) {
    assert.equal(readConfig({ HOST, ALLOW_PLAIN_HTTP: '1' }).allowPlainHttp, true)
    assert.equal(readConfig({ HOST, ALLOW_PLAIN_HTTP: '0' }).allowPlainHttp, false)
  }
  for (const HOST of [
    '0.0.0.0',
    '::',
    '192.168.1.5',
    'example.com',
    'localhost.example.com',
    '127.0.0.1.example.com',
  ]) {
    assert.match(refusal({ HOST, ALLOW_PLAIN_HTTP: '1' }), /^ALLOW_PLAIN_HTTP .*loopback/)
    assert.equal(readConfig({ HOST }).allowPlainHttp, false)
  }
})

test('outgoing requests may reach loopback only while the server is reachable from loopback only, unless the operator allows it', () => {
  const isAllowed = (environment: Record<string, string>, address = '127.0.0.1', port = 9000) =>
    readConfig(environment).outboundAllowed.includes(address, port)
  for (const HOST of ['127.0.0.1', 'localhost', '::1']) {
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) assert.ok(isAllowed({ HOST }, address))
    for (const address of ['10.0.0.1', '93.184.216.34', '::2', '', 'localhost'])
      assert.ok(!isAllowed({ HOST }, address))
  }
  const reachable = [
    ...[{ HOST: '0.0.0.0' }, { DATABASE_URL: 'postgres://db/x' }, { TRUST_PROXY: '10.0.0.0/8' }],
    ...[{ OUTBOUND_ALLOWED_NETWORKS: '' }, { OUTBOUND_ALLOWED_NETWORKS: ' , ' }],
  ]
  for (const environment of reachable) {
    assert.ok(!isAllowed(environment))
    assert.deepEqual(readConfig(environment).outboundAllowed.entries, [])
    assert.ok(isAllowed({ ...environment, OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1' }))
  }
})

test('outgoing requests may reach an allowed network on its port, or on all ports if it names none', () => {
  const list = '10.0.0.0/8, 192.168.1.5:8080 ,172.16.0.0/12:443,fd00::/8,[::1]:80,[fe80::/10]:81,[fec0::1]'
  const { includes } = readConfig({ OUTBOUND_ALLOWED_NETWORKS: list }).outboundAllowed
  const inside = ['10.1.2.3 1', '192.168.1.5 8080', '172.31.0.1 443', 'fd12::1 5', '::1 80', 'fe80::1 81', 'fec0::1 9']
  const outside = [
    '11.0.0.0 1',
    '192.168.1.5 80',
    '192.168.1.6 8080',
    '172.31.0.1 80',
    'fc00::1 5',
    '::1 81',
    'fe80::1 80',
  ]
  for (const pair of inside) assert.ok(includes(pair.split(' ')[0] ?? '', Number(pair.split(' ')[1])), pair)
  for (const pair of outside) assert.ok(!includes(pair.split(' ')[0] ?? '', Number(pair.split(' ')[1])), pair)
})

test('no message repeats a secret', () => {
  const secrets = {
    DATABASE_URL: ['mysql://root:hunter2@localhost/x', 'postgres//root:hunter2@x'],
    SECRET_KEY: ['hunter2'],
  }
  for (const [name, values] of Object.entries(secrets)) {
    for (const value of values) assert.doesNotMatch(refusal({ [name]: value }), /hunter2/)
  }
  const good = { DATABASE_URL: 'postgres://root:hunter2@localhost/x', SECRET_KEY: 'hunter2 hunter2 hunter2' }
  const credentials = { OWNER_PASSWORD: 'hunter2 hunter2', OWNER_API_KEY: 'hunter2_hunter2_hunter2' }
  for (const wrong of ['PORT', 'LOG_LEVEL', 'LOG_FORMAT', 'TRUST_PROXY', 'HOST', 'TLS_KEY_FILE']) {
    assert.doesNotMatch(refusal({ ...good, ...credentials, [wrong]: '-' }), /hunter2/)
  }
})
