// Runs alone: takes long, it starts the server 18 times

import assert from 'node:assert/strict'
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { findProcesses } from '../../src/platform/embedded-postgres/processes.ts'
import { makeCertificate } from '../../src/platform/https-server/make-certificate.ts'
import { runHere } from '../helpers/commands.ts'
import { makeDatabase, runStatement, urlOf } from '../helpers/databases.ts'
import {
  apiKey,
  type DataFolder,
  makeDataFolder,
  runCli,
  type ServerProcess,
  startProcess,
} from '../helpers/server-process.ts'

const nothing = { postmaster: undefined, backends: [] }
const secret = { SECRET_KEY: 'a secret key for the tests' }

test('the first start creates an owner, a key and a list; the second uses them and prints no secrets; SIGTERM and SIGINT stop it', async () => {
  await using folder = await makeDataFolder()
  const given = { DATA_DIR: folder.path, OWNER_EMAIL: 'Me@Example.com', OWNER_PASSWORD: 'known password' }
  {
    await using server = await startProcess(given)
    const { email, password, accountId, listId } = server.facts
    assert.deepEqual([email, password, server.facts.apiKey], ['me@example.com', undefined, apiKey])
    const created = await server.post('/contacts', { email: 'ana@example.com' })
    assert.equal(created.status, 201)
    const added = await server.post(`/lists/${listId}/contacts`, { contactId: created.body.id })
    assert.equal(added.status, 200)
    assert.match(accountId ?? '', /^acc_/)
    await stops(server, ['SIGTERM'], folder)
  }
  const second = await startProcess({ ...given, OWNER_API_KEY: 'another-key-that-is-ignored' })
  assert.deepEqual(Object.keys(second.facts), ['url', 'baseUrl', 'certificateFile'])
  assert.equal((await second.post('/contacts', { email: 'ben@example.com' })).status, 201)
  await stops(second, ['SIGINT'], folder)
})

/** With exit code 0, and leaves no process. */
async function stops(server: ServerProcess, signals: NodeJS.Signals[], folder: DataFolder): Promise<void> {
  for (const signal of signals) server.child.kill(signal)
  assert.equal(await server.exited, 0)
  assert.deepEqual(findProcesses(join(folder.path, 'postgres')), nothing)
}

test('a second server on the same folder is refused with one sentence; the first keeps running, and stops however often it is told', async () => {
  await using folder = await makeDataFolder()
  await using server = await startProcess({ DATA_DIR: folder.path })
  const second = await runCli({ DATA_DIR: folder.path }, 'start')
  assert.equal(second.code, 1)
  assert.match(second.stderr, /^Another Patchbay server is running on .*; stop it, or set another DATA_DIR\.\n$/)
  assert.equal(await server.get('/readyz'), 200)
  await stops(server, ['SIGINT', 'SIGINT', 'SIGTERM'], folder)
})

test('a folder of another PostgreSQL version and a taken port are each refused with one sentence', async () => {
  await using folder = await makeDataFolder({ bare: true })
  await mkdir(join(folder.path, 'postgres'))
  await writeFile(join(folder.path, 'postgres/PG_VERSION'), '17\n')
  const older = await runCli({ DATA_DIR: folder.path }, 'start')
  assert.deepEqual([older.code, older.stderr.split('\n').length], [1, 2])
  assert.match(older.stderr, /made by PostgreSQL 17 and this Patchbay ships 18/)

  await using working = await makeDataFolder()
  await using other = await makeDataFolder()
  await using server = await startProcess({ DATA_DIR: working.path })
  const taken = await runCli({ DATA_DIR: other.path, PORT: new URL(server.url).port }, 'start')
  assert.equal(taken.code, 1)
  assert.match(taken.stderr, /^Cannot listen on 127\.0\.0\.1 port \d+ \(something else listens there\)/)
  assert.deepEqual(findProcesses(join(other.path, 'postgres')), nothing)
})

test('secret files are readable only by their owner; a lock file with the process id of another program, and a path too long for a socket, do not prevent the start', async () => {
  await using folder = await makeDataFolder()
  const deep = join(folder.path, 'a'.repeat(60), 'b'.repeat(60))
  for (const round of ['first', 'second']) {
    await using server = await startProcess({ DATA_DIR: deep })
    assert.equal(await server.get('/readyz'), 200, round)
    await server[Symbol.asyncDispose]()
    await writeFile(join(deep, 'postgres/postmaster.pid'), `${process.pid}\n/proc/self/cwd\n1\n5432\n.\n\n1 1\n`)
  }
  for (const [file, mode] of [
    ['secret.key', 0o600],
    ['tls/key.pem', 0o600],
    ['postgres', 0o700],
  ] as const) {
    assert.equal((await stat(join(deep, file))).mode & 0o777, mode, file)
  }
  assert.equal((await readFile(join(deep, 'secret.key'), 'utf8')).trim().length, 43)
})

test('a renewed certificate is served without a restart', async () => {
  await using folder = await makeDataFolder()
  const files = { TLS_CERT_FILE: join(folder.path, 'cert.pem'), TLS_KEY_FILE: join(folder.path, 'key.pem') }
  async function renew(): Promise<string> {
    const { cert, key } = await makeCertificate('localhost')
    await writeFile(`${files.TLS_CERT_FILE}.new`, cert)
    await writeFile(`${files.TLS_KEY_FILE}.new`, key)
    await rename(`${files.TLS_KEY_FILE}.new`, files.TLS_KEY_FILE)
    await rename(`${files.TLS_CERT_FILE}.new`, files.TLS_CERT_FILE)
    return cert
  }
  await renew()
  await using server = await startProcess({ DATA_DIR: folder.path, ...files })
  const renewed = await renew()
  const port = Number(new URL(server.url).port)
  const isServed = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', ca: renewed, servername: 'localhost' }, () => {
        resolve(socket.authorized)
        socket.destroy()
      })
      socket.on('error', () => resolve(false))
    })
  while (!(await isServed())) await sleep(100)
})

test('a server refuses a shared database without SECRET_KEY, with another one, or with a newer schema', async () => {
  await using folder = await makeDataFolder({ cluster: false })
  await using database = await makeDatabase()
  const shared = { DATA_DIR: folder.path, DATABASE_URL: urlOf(database.address) }
  assert.match((await runCli(shared, 'start')).stderr, /^DATABASE_URL needs SECRET_KEY too/)
  const server = await startProcess({ ...shared, ...secret })
  await server[Symbol.asyncDispose]()
  assert.match(
    (await runCli({ ...shared, SECRET_KEY: 'another secret key' }, 'start')).stderr,
    /^SECRET_KEY is not the one/,
  )
  await runStatement(database.address, "insert into schema_migrations (version, name) values (9999, 'from the future')")
  assert.match(
    (await runCli({ ...shared, ...secret }, 'start')).stderr,
    /^The database has schema 9999 and this Patchbay/,
  )
})

test('two servers that start at once on one empty database create one owner', async () => {
  await using folder = await makeDataFolder({ cluster: false })
  await using database = await makeDatabase({ empty: true })
  const shared = { DATA_DIR: folder.path, DATABASE_URL: urlOf(database.address), ...secret }
  const servers = await Promise.all([startProcess(shared), startProcess(shared)])
  assert.equal(servers.filter(({ facts }) => facts.accountId).length, 1)
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
})

test('a key generated by a command invalidates the old one in every server within a second', async () => {
  await using folder = await makeDataFolder({ cluster: false })
  await using database = await makeDatabase()
  const shared = { DATA_DIR: folder.path, DATABASE_URL: urlOf(database.address), ...secret }
  await using one = await startProcess(shared)
  await using two = await startProcess(shared)
  const servers = [one, two]
  const person = { email: 'ana@example.com' }
  for (const server of servers) assert.equal((await server.post('/contacts', person)).status, 201)

  const owner = one.facts.email ?? ''
  const generated = await runHere(shared, 'key', 'generate', '--account', owner, '--json')
  const endsAt = performance.now() + 1_000
  const { apiKey: fresh } = JSON.parse(generated.stdout)
  for (const server of servers) assert.equal((await server.post('/contacts', person, fresh)).status, 201)
  for (const server of servers) {
    for (let askedAt = 0, status = 0; status !== 401; ) {
      assert.ok(askedAt < endsAt, 'the old key lived on')
      askedAt = performance.now()
      status = (await server.post('/contacts', person)).status
    }
  }
})
