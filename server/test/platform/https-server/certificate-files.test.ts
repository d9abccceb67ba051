import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { readPair } from '../../../src/platform/https-server/certificate-files.ts'
import { makeCertificate } from '../../../src/platform/https-server/make-certificate.ts'
import { OperatorError } from '../../../src/platform/operator-error.ts'
import { makeDataFolder, runCli, startProcess } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

const [one, other] = [await makeCertificate('localhost'), await makeCertificate('localhost')]
const half = (text: string) => text.slice(0, text.length / 2)
const unusable: Record<string, { cert: string; key: string }> = {
  'an empty key': { ...one, key: '' },
  'a blank key': { ...one, key: '\n' },
  'half a key': { ...one, key: half(one.key) },
  'an empty certificate': { ...one, cert: '' },
  'half a certificate': { ...one, cert: half(one.cert) },
  'the key of another': { ...one, key: other.key },
  nothing: { cert: '', key: '' },
}

for (const [what, pair] of Object.entries(unusable)) {
  test(`certificate files with ${what} are refused with a sentence that names them`, async () => {
    await using folder = await makeDataFolder({ bare: true })
    const files = await put(folder.path, pair)
    await assert.rejects(
      readPair({ cert: files.TLS_CERT_FILE, key: files.TLS_KEY_FILE }),
      (error) =>
        error instanceof OperatorError && /^\/.*cert\.pem and \/.*key\.pem are not a certificate/.test(error.message),
    )
  })
}

test('a start with an empty key file is refused', async () => {
  await using folder = await makeDataFolder()
  const files = await put(folder.path, { ...one, key: '' })
  const { code, stderr } = await runCli({ DATA_DIR: folder.path, ...files }, 'start')
  assert.deepEqual(
    [
      code,
      /are not a certificate and its key \(.+\); put the certificate with its chain into the first .*\.\n$/.test(
        stderr,
      ),
    ],
    [1, true],
    stderr,
  )
})

test('at a renewal, files that do not work are not used but logged, and the old certificate is served until they do', async () => {
  await using folder = await makeDataFolder()
  const files = await put(folder.path, one)
  await using server = await startProcess({ DATA_DIR: folder.path, ...files })
  const isServed = (cert: string) => trusts(Number(new URL(server.url).port), cert)
  assert.ok(await isServed(one.cert))
  await put(folder.path, { ...other, key: '' })
  await until(() => /not usable yet.*|key\.pem are not a certificate/.test(server.output()), 'nothing was logged')
  assert.ok(await isServed(one.cert), 'the old one stays')
  await put(folder.path, other)
  await until(() => isServed(other.cert), 'the new certificate is not served')
})

async function put(folder: string, { cert, key }: { cert: string; key: string }) {
  const files = { TLS_CERT_FILE: join(folder, 'cert.pem'), TLS_KEY_FILE: join(folder, 'key.pem') }
  await writeFile(files.TLS_CERT_FILE, cert)
  await writeFile(files.TLS_KEY_FILE, key)
  return files
}

function trusts(port: number, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', ca, servername: 'localhost' }, () => {
      resolve(socket.authorized)
      socket.destroy()
    })
    socket.on('error', () => resolve(false))
  })
}
