import 'reflect-metadata'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setDefaultCACertificates, type TlsOptions } from 'node:tls'
import * as x509 from '@peculiar/x509'
import { readAllowedNetworks } from '../../../src/platform/outbound/allowed-networks.ts'
import { OutboundError } from '../../../src/platform/outbound/call.ts'
import { openOutbound } from '../../../src/platform/outbound/client.ts'
import { recordDials, startReceiver, startTcp } from '../../helpers/receivers.ts'

const toHere = { allowed: readAllowedNetworks('127.0.0.1', false), resolve: async () => ['127.0.0.1'] }
const outbound = openOutbound(toHere)
const post = { method: 'POST', headers: {}, body: 'secret', mostBytes: 1024, whenLarger: 'cut' } as const

const day = 86_400_000
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

async function makeCertificate(names: string[], endsInDays = 1): Promise<{ cert: string; key: string }> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=Test ${names.join(' ')} ${endsInDays}`, // two that are trusted must not share a name
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - 10 * day),
    notAfter: new Date(Date.now() + endsInDays * day),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.SubjectAlternativeNameExtension(
        names.map((name) => ({ type: /^[\d.]+$/.test(name) ? ('ip' as const) : ('dns' as const), value: name })),
      ),
    ],
  })
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  return { cert: certificate.toString('pem'), key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n` }
}

const good = await makeCertificate(['receiver.example', '127.0.0.1'])
const otherName = await makeCertificate(['other.example'])
const expired = await makeCertificate(['receiver.example'], -1)
const unknown = await makeCertificate(['receiver.example'])
setDefaultCACertificates([good.cert, otherName.cert, expired.cert])

test('a receiver with a valid certificate gets the request, by name with SNI and by a bare address', async () => {
  const names: string[] = []
  const tls: TlsOptions = {
    ...good,
    SNICallback: (name, done) => {
      names.push(name)
      done(null)
    },
  }
  await using receiver = await startReceiver(undefined, { tls })
  for (const host of ['receiver.example', 'receiver.example', '127.0.0.1']) {
    assert.equal((await outbound.request({ ...post, url: `https://${host}:${receiver.port}/` })).status, 200)
  }
  assert.deepEqual(names, ['receiver.example'])
  assert.equal(receiver.connections(), 2, 'the second request went over the connection of the first')
  await outbound.close()
})

test('a receiver with TLS that begins to send interim answers gets every request once', async () => {
  await using receiver = await startReceiver(
    (_request, response) => {
      if (receiver.requests.length > 2) response.writeContinue()
      if (receiver.requests.length > 3) response.writeEarlyHints({ link: '</a.css>; rel=preload' })
      response.end('ok')
    },
    { tls: good },
  )
  const outbound = openOutbound(toHere)
  const bodies = ['1', '2', '3', '4', '5']
  for (const body of bodies) {
    const answer = await outbound.request({ ...post, url: `https://receiver.example:${receiver.port}/`, body })
    assert.deepEqual([answer.status, answer.body.toString()], [200, 'ok'])
  }
  assert.deepEqual(
    receiver.requests.map(({ body }) => body.toString()),
    bodies,
  )
  await outbound.close()
  await receiver.untilClosed()
})

const bad: Record<string, { tls: TlsOptions; sentence: RegExp }> = {
  'a self-signed certificate': { tls: unknown, sentence: /self-signed/ },
  'an expired certificate': { tls: expired, sentence: /expired/ },
  'a certificate for another name': { tls: otherName, sentence: /another name/ },
  'TLS 1.1 only': {
    tls: { ...good, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
    sentence: /secure connection/,
  },
  'no common protocol': { tls: { ...good, ALPNProtocols: ['h2'] }, sentence: /secure connection/ },
}

for (const [name, { tls, sentence }] of Object.entries(bad)) {
  test(`a receiver with ${name} is tls_error and receives nothing`, async () => {
    await using receiver = await startReceiver(undefined, { tls })
    const error = await failure(`https://receiver.example:${receiver.port}/`)
    assert.equal(error.category, 'tls_error')
    assert.match(error.message, sentence)
    assert.doesNotMatch(error.message, /\.example|\d{3}/)
    assert.equal(receiver.requests.length, 0)
    await receiver.untilClosed()
    assert.equal(receiver.connections(), 1)
  })
}

test('the environment cannot turn certificate verification off', async () => {
  await using receiver = await startReceiver(undefined, { tls: unknown })
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  try {
    assert.equal((await failure(`https://receiver.example:${receiver.port}/`)).category, 'tls_error')
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  }
})

test('a receiver that does not speak TLS is tls_error, one that closes the connection is connection_reset', async () => {
  await using plain = await startReceiver()
  assert.equal((await failure(`https://receiver.example:${plain.port}/`)).category, 'tls_error')
  await using closing = await startTcp((socket) => socket.once('data', () => socket.end()))
  assert.equal((await failure(`https://receiver.example:${closing.port}/`)).category, 'connection_reset')
})

test('a TLS handshake that stalls fails at the connect timeout', async () => {
  await using receiver = await startTcp((socket) => socket.resume())
  using watch = recordDials()
  const shortLimit = openOutbound({ ...toHere, limits: { connectMs: 400 } })
  const error = await failure(`https://receiver.example:${receiver.port}/`, shortLimit)
  assert.equal(error.category, 'timeout')
  assert.match(error.message, /no connection within 0\.4 seconds/, 'before the time limit of the attempt')
  assert.equal(watch.open(), 0)
  await receiver.untilClosed()
})

async function failure(url: string, by = outbound): Promise<OutboundError> {
  const error = await by.request({ ...post, url }).then(
    () => assert.fail('answered'),
    (error) => error,
  )
  assert.ok(error instanceof OutboundError, String(error))
  return error
}
