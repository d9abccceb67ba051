import { totalmem } from 'node:os'

/**
 * How the embedded database is set up, given at every start so that a new version's values reach old folders. It runs
 * on a machine with 2 cores and 1 GB; who needs more than this has a PostgreSQL of their own in DATABASE_URL.
 */
export function settings(): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/**
 * A sixteenth of the machine, within bounds. What new messages touch at random, the indexes, fits for some millions of
 * them; without room every message would copy pages from the system's cache, and cost a third more at one million.
 */
const sharedBuffersMiB = Math.round(Math.min(Math.max(totalmem() / 2 ** 20 / 16, 128), 1_024))

const values = {
  // No TCP port. The socket is inside a folder that only this user enters, so `trust` is safe.
  listen_addresses: '',
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',

  // What we acknowledge is on disk. `checkDurability` looks again after the start.
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',

  max_connections: '100',
  shared_buffers: `${sharedBuffersMiB}MB`,
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  max_wal_size: '1GB',
  // Segments of the log are used again rather than removed, so that commits seldom wait for a new one.
  min_wal_size: '512MB',

  logging_collector: 'on',
  log_directory: 'log',
  log_filename: 'postgresql-%a.log', // a week, each day overwriting the same day of the last week
  log_truncate_on_rotation: 'on',
  log_rotation_size: '0',
  log_parameter_max_length_on_error: '0', // parameters are people's messages
  log_error_verbosity: 'terse', // and so are the details of errors
  log_min_error_statement: 'panic',
}
