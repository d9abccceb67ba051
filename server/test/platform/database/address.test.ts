import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf, readDatabaseUrl } from '../../../src/platform/database/address.ts'

test('DATABASE_URL takes one host or several, with and without ports, IPv6 addresses and socket folders', () => {
  const urls = [
    'postgres://db.example.com/patchbay',
    'postgres://user:pass%40word@h1:5432,h2:5433,[::1]:5434/patchbay?sslmode=verify-full',
    'postgresql://user@h1,h2,h3/patchbay?target_session_attrs=read-write',
    'postgres://user@%2Frun%2Fpostgresql,h2/patchbay',
    'postgres:///patchbay?host=/run/postgresql&user=patchbay',
  ]
  for (const url of urls) assert.equal(readDatabaseUrl(url), url)
})

test('the password, the database and the options are those of every host', () => {
  const { connectionString } = addressOf('postgres://user:pass%40word@h1:5433,h2/patchbay?sslmode=verify-full')
  assert.equal(connectionString, 'postgres://user:pass%40word@h1:5433/patchbay?sslmode=verify-full')
})
