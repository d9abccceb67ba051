import { totalmem } from 'node:os'

/** The settings of PostgreSQL, by name. */
export type Settings = Record<string, string>

/**
 * The settings of the embedded database, passed at every start so that a new version's values reach old folders. They
 * suit a machine with 2 cores and 1 GB; installations that need more set DATABASE_URL to a PostgreSQL of their own.
 */
export function settings(own: Settings = {}): string[] {
  return Object.entries({ ...values, ...own }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** The memory of the machine, or less in a container that has a limit. */
const memoryMiB = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 2 ** 20

/**
 * A sixteenth of the memory, within bounds. The indexes, which new messages touch at random, fit for some millions of
 * messages; when they do not, every message copies pages from the system's cache, and costs a third more at one
 * million. Below 1 GB an eighth: the rest is for our own processes and the built-in model.
 */
const sharedBuffersMiB = Math.round(Math.min(Math.max(memoryMiB / 16, Math.min(memoryMiB / 8, 128)), 1_024))

/** What a process that serves opens when all its pools are busy; usually it is 20. */
const mostOfProcess = 70

/** The connections for the supervisor, which opens 13 at most, for commands, and for whoever looks at the database. */
const forOthers = 46

/** The connections of the embedded database for so many processes. */
export function connectionsFor(processes: number): number {
  return processes * mostOfProcess + forOthers
}

const values: Settings = {
  // No TCP port. The socket is inside a folder that only this user enters, so `trust` is safe.
  listen_addresses: '',
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',

  // What we acknowledge is on disk. `checkDatabase` verifies it after the start.
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',

  max_connections: String(connectionsFor(1)),
  shared_buffers: `${sharedBuffersMiB}MB`,
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  max_wal_size: '1GB',
  // Segments of the write-ahead log are recycled rather than removed, so that commits seldom wait for a new one.
  min_wal_size: '512MB',
  // Retention deletes all the time. How much is dead is counted anew after a crash: with a minute between two looks, and a fifth
  // of a table to be dead, crashes in a row would let tables grow to twice their content.
  autovacuum_naptime: '20s',
  autovacuum_vacuum_scale_factor: '0.05',

  logging_collector: 'on',
  log_directory: 'log',
  log_filename: 'postgresql-%a.log', // a week of logs; each day overwrites the same day of the week before
  log_truncate_on_rotation: 'on',
  log_rotation_size: '0',
  log_parameter_max_length_on_error: '0', // parameters are people's messages
  log_error_verbosity: 'terse', // and so are the details of errors
  log_min_error_statement: 'panic',
}
