// Runs alone: takes long, it starts the server nine times

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { curlTo } from '../../commands/shared/curl-line.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { makeCertificate } from '../../src/platform/https-server/make-certificate.ts'
import { runHere } from '../helpers/commands.ts'
import { makeDatabase, urlOf } from '../helpers/databases.ts'
import { freePort } from '../helpers/free-port.ts'
import { openClient } from '../helpers/https-client.ts'
import { apiKey, makeDataFolder, runCli, serverEnvironment, startProcess } from '../helpers/server-process.ts'
import { until } from '../helpers/until.ts'

const cli = resolve(import.meta.dirname, '../../cli.ts')

test('a first start whose port is taken creates no account, and the next one prints the credentials', async () => {
  await using folder = await makeDataFolder()
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const PORT = String((other.address() as AddressInfo).port)
  const refused = await runCli({ DATA_DIR: folder.path, PORT }, 'start', '--json')
  assert.match(refused.stderr, /^Cannot listen on 127\.0\.0\.1 port \d+ \(something else listens there\)/)
  other.close()
  await using server = await startProcess({ DATA_DIR: folder.path, PORT, OWNER_API_KEY: '' })
  assert.match(server.facts.apiKey ?? '', /^pb_/)
  assert.match(server.facts.password ?? '', /.{8}/)
  await until(() => isGone(join(folder.path, 'first-start.txt')), 'what was shown stays on disk')
})

test('with PORT=0, the banner and the API description name the port that the server got', async () => {
  await using folder = await makeDataFolder()
  await using server = await startProcess({ DATA_DIR: folder.path, PORT: '0' })
  assert.match(server.url, /^https:\/\/localhost:[1-9]\d*$/)
  const client = openClient({})
  const { text } = await client.send(`${server.url}/v1/openapi.json`)
  client.close()
  assert.deepEqual(JSON.parse(text).servers, [{ url: `${server.url}/v1` }])
})

test('without a terminal, the credentials are written to a file that only its owner can read, and the banner names it', async () => {
  await using folder = await makeDataFolder()
  const { child, printed } = await startPlain({ DATA_DIR: folder.path })
  const file = join(folder.path, 'first-start.txt')
  assert.ok(printed().includes(file), printed())
  assert.ok(!printed().includes(apiKey), printed())
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.match(await readFile(file, 'utf8'), new RegExp(`API key    ${apiKey}\n[^]*curl --cacert '.*apiKey=${apiKey}'`))
  await end(child)

  const again = await startPlain({ DATA_DIR: folder.path })
  assert.match(again.printed(), /Lost the key or the password\?/)
  await end(again.child)
  const shown = await runHere({ DATA_DIR: folder.path }, 'account', 'show', '--json')
  assert.equal(JSON.parse(shown.stdout).accounts[0].isInstallationOwner, true)
})

test('credentials that could not be printed stay in the file, and the server keeps running', async () => {
  await using folder = await makeDataFolder()
  const child = spawn(process.execPath, [cli, 'start', '--json'], {
    env: serverEnvironment({ DATA_DIR: folder.path }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  let said = ''
  child.stderr.on('data', (data) => (said += data))
  await until(() => said.includes('standard output cannot be written') || child.exitCode !== null, 'it said nothing')
  assert.equal(child.exitCode, null, said)
  assert.match(await readFile(join(folder.path, 'first-start.txt'), 'utf8'), new RegExp(apiKey))
  await end(child)
})

test('when the credentials can be neither printed nor written, no account is created', async () => {
  await using folder = await makeDataFolder({ cluster: false })
  await using database = await makeDatabase()
  const shared = {
    DATABASE_URL: urlOf(database.address),
    SECRET_KEY: 'a secret key for the tests',
    DATA_DIR: folder.path,
  }
  const file = join(folder.path, 'first-start.txt')
  await mkdir(file)
  assert.match((await runCli(shared, 'start')).stderr, /^The owner's credentials cannot be written to /)
  await rm(file, { recursive: true })
  await using server = await startProcess(shared)
  assert.match(server.facts.accountId ?? '', /^acc_/)
})

test('a client that connects while the database is not ready waits, and is answered when it is', async () => {
  await using folder = await makeDataFolder({ cluster: false })
  await using database = await makeDatabase({ empty: true })
  const shared = {
    DATABASE_URL: urlOf(database.address),
    SECRET_KEY: 'a secret key for the tests',
    DATA_DIR: folder.path,
  }
  const holder = new Client(database.address)
  await holder.connect()
  await holder.query('select pg_advisory_lock(7301001)')
  const PORT = String(await freePort())
  const starting = startProcess({ ...shared, PORT })
  const client = openClient({})
  const ask = () => client.send(`https://127.0.0.1:${PORT}/readyz`).catch(() => undefined)
  let answered = 0
  const asking = (async () => {
    let answer = await ask()
    while (!answer) answer = await ask() // the port is not bound yet
    answered += 1
    return answer.status
  })()
  await until(async () => {
    const { rows } = await holder.query(
      "select from pg_locks where locktype = 'advisory' and not granted and objid = 7301001",
    )
    return rows.length > 0
  }, 'it did not get as far as the database')
  assert.equal(answered, 0)
  await holder.end()
  assert.equal(await asking, 200)
  client.close()
  await (await starting)[Symbol.asyncDispose]()
})

test('the printed curl command works with our own certificate, through a proxy, and by the host name of the certificate', async () => {
  await using folder = await makeDataFolder()
  const own = join(folder.path, 'tls/cert.pem')
  const line = (environment: Record<string, string>, certificateFile = own) =>
    curlTo(readConfig({ DATA_DIR: folder.path, ...environment }), { port: 8443, certificateFile })
  assert.deepEqual(await line({}), { command: `curl --cacert '${own}'`, url: 'https://localhost:8443' })
  assert.deepEqual(await line({ TRUST_PROXY: '10.0.0.0/8' }), {
    command: `curl --cacert '${own}'`,
    url: 'https://localhost:8443',
  })
  const behind = { TRUST_PROXY: '10.0.0.0/8', PUBLIC_URL: 'https://chat.example.com' }
  assert.deepEqual(await line(behind), { command: 'curl', url: 'https://chat.example.com' })

  const files = { TLS_CERT_FILE: join(folder.path, 'private.pem'), TLS_KEY_FILE: join(folder.path, 'private.key') }
  const { cert, key } = await makeCertificate('chat.example.com')
  await writeFile(files.TLS_CERT_FILE, cert)
  await writeFile(files.TLS_KEY_FILE, key)
  assert.deepEqual(await line({ ...files, PUBLIC_URL: 'https://chat.example.com:8443' }, files.TLS_CERT_FILE), {
    command: `curl --cacert '${files.TLS_CERT_FILE}'`,
    url: 'https://chat.example.com:8443',
  })
  assert.deepEqual(await line({ ...files, HOST: '192.0.2.1' }, files.TLS_CERT_FILE), {
    command: `curl --connect-to '::192.0.2.1:8443' --cacert '${files.TLS_CERT_FILE}'`,
    url: 'https://localhost:8443',
  })
})

async function startPlain(environment: Record<string, string>) {
  const child = spawn(process.execPath, [cli, 'start'], { env: serverEnvironment(environment) })
  let text = ''
  child.stdout.on('data', (data) => (text += data))
  child.stderr.resume()
  await until(() => /ready at .*\n\n/s.test(text) || child.exitCode !== null, 'it did not start')
  return { child, printed: () => text }
}

async function end(child: ReturnType<typeof spawn>): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

async function isGone(file: string): Promise<boolean> {
  return stat(file).then(
    () => false,
    () => true,
  )
}
