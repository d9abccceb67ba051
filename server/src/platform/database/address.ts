import type { PoolConfig } from 'pg'
import { OperatorError } from '../operator-error.ts'
import { type ClientClass, primaryClient } from './primary-client.ts'

/** How to connect to a database; the fields are those of a `pg` pool. */
export type DatabaseAddress = Pick<PoolConfig, 'connectionString' | 'host' | 'user' | 'database'> & {
  Client?: ClientClass
}

/** The address in DATABASE_URL, which may name several hosts: connections go to the one that accepts writes. */
export function addressOf(databaseUrl: string): DatabaseAddress {
  const [first = '', ...others] = urlsOf(databaseUrl)
  return {
    connectionString: first,
    Client: primaryClient([first, ...others].map((url) => ({ connectionString: url }))),
  }
}

/** Connects to the only host there is; while it restarts, connecting waits. */
export function addressOfHost(host: { host: string; user: string; database: string }): DatabaseAddress {
  return { ...host, Client: primaryClient([host]) }
}

/** The message does not repeat the value: it may contain a password. */
export function readDatabaseUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  for (const url of urlsOf(text)) {
    const parsed = URL.parse(url)
    if (!parsed || !/^postgres(ql)?:$/.test(parsed.protocol)) throw malformed()
    const wanted = parsed.searchParams.get('target_session_attrs') ?? 'read-write'
    if (!['read-write', 'primary', 'any'].includes(wanted)) {
      throw new OperatorError('DATABASE_URL asks for a standby (target_session_attrs); Patchbay needs the primary.')
    }
    if (parsed.searchParams.get('host')?.includes(',')) throw malformed()
  }
  return text
}

function malformed(): OperatorError {
  return new OperatorError(
    'DATABASE_URL must look like postgres://user:password@host:5432/database; several hosts are separated by commas.',
  )
}

/** One URL for each host of `postgres://user:password@h1:5432,h2:5432/database?…`. */
function urlsOf(text: string): string[] {
  const [, before, hosts, after] = /^([a-z]+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/is.exec(text) ?? []
  if (before === undefined || hosts === undefined) return [text]
  return hosts.split(',').map((host) => `${before}${host.trim()}${after}`)
}
