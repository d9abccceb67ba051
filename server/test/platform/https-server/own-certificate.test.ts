import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, rename, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect, createServer } from 'node:tls'
import { readConfig } from '../../../src/platform/config/config.ts'
import { readPair, tlsFiles } from '../../../src/platform/https-server/certificate-files.ts'
import { makeCertificate } from '../../../src/platform/https-server/make-certificate.ts'
import { makeDataFolder } from '../../helpers/server-process.ts'

test('servers that start at the same time in one folder make one certificate with its key, and leave no temporary folder', async () => {
  await using folder = await makeDataFolder({ bare: true })
  const config = readConfig({ DATA_DIR: folder.path })
  const makers = await Promise.all(Array.from({ length: 8 }, () => tlsFiles(config).then(readPair)))
  assert.equal(new Set(makers.map(({ cert }) => cert)).size, 1)
  assert.deepEqual(await readdir(folder.path), ['tls', 'tls.lock'])
})

test('a certificate that does not match its key is replaced, also by several servers at the same time', async () => {
  await using folder = await makeDataFolder({ bare: true })
  const config = readConfig({ DATA_DIR: folder.path })
  const { key } = await tlsFiles(config)
  const first = await readPair(await tlsFiles(config))
  await rename(key, `${key}.old`)
  await writeFile(join(folder.path, 'tls/key.pem'), 'no key')
  const makers = await Promise.all(Array.from({ length: 4 }, () => tlsFiles(config).then(readPair)))
  assert.notEqual(makers[0]?.cert, first.cert)
  assert.equal(new Set(makers.map(({ cert }) => cert)).size, 1)
  assert.deepEqual(await readdir(folder.path), ['tls', 'tls.lock'])
})

test('a client that trusts the certificates of two servers, as a proxy does, connects to both', async () => {
  const pairs = [await makeCertificate('localhost'), await makeCertificate('localhost')]
  const ca = pairs.map(({ cert }) => cert).join('')
  for (const pair of pairs) {
    const server = createServer(pair, (socket) => socket.end())
      .listen(0, '127.0.0.1')
      .unref()
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // it listens on a port
    const client = connect({ host: '127.0.0.1', port, servername: 'localhost', ca })
    await once(client, 'secureConnect')
    assert.ok(client.authorized)
    client.destroy()
    server.close()
  }
})
