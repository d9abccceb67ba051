import { Readable } from 'node:stream'
import { Client, type Connection, Query } from 'pg'
import type { DatabaseAddress } from '../database/db.ts'
import { goLast } from '../database/low-priority.ts'
import { OperatorError } from '../operator-error.ts'

/** Where a backup begins and ends in the write-ahead log, and what PostgreSQL says about the files in it. */
export type BaseBackup = {
  systemIdentifier: string
  timeline: number
  startLsn: string
  endLsn: string
  manifest: Buffer
}

/**
 * Takes a copy of the whole database while it serves, with the part of the write-ahead log that makes it consistent. It
 * comes as one tar archive, which `keep` consumes as fast as it can: while it does not, nothing more is read.
 *
 * The temporary slot keeps that part of the log from being removed before it is copied, however long the copy takes.
 */
export async function receiveBaseBackup(
  address: DatabaseAddress,
  keep: (tar: Readable) => Promise<void>,
): Promise<BaseBackup> {
  const settings = { ...address, replication: 'true', application_name: 'patchbay backup' }
  const client = new Client(settings) // the types of pg do not have `replication`
  client.on('error', () => {}) // the query fails with it
  await client.connect()
  goLast((client as Client & { processID: number }).processID) // of the database's process; the types of pg do not have it
  try {
    const { rows } = await client.query('IDENTIFY_SYSTEM')
    await client.query(`CREATE_REPLICATION_SLOT "patchbay_backup_${process.pid}" TEMPORARY PHYSICAL RESERVE_WAL`)
    const { tar, ended } = sendBaseBackup(client)
    // Whichever fails first ends the other: without a reader the query would wait for ever.
    const [result] = await Promise.all([ended, keep(tar)]).catch((error) => {
      tar.destroy()
      throw error
    })
    return { systemIdentifier: rows[0].systemid, ...result }
  } finally {
    void client.end().catch(() => {}) // closes the connection; after a failure the database has not finished sending
  }
}

/** `WAIT false`: the log is in the backup, so it need not be in the archive too, which may be out of order. */
const command = `BASE_BACKUP (LABEL 'patchbay', CHECKPOINT 'fast', WAL true, WAIT false, MANIFEST 'yes',
  MANIFEST_CHECKSUMS 'SHA256')`

function sendBaseBackup(client: Client): { tar: Readable; ended: Promise<Omit<BaseBackup, 'systemIdentifier'>> } {
  let connection: Connection | undefined
  const manifest: Buffer[] = []
  let isManifest = false
  const tar = new Readable({ read: () => connection?.stream.resume() })

  /** The first byte says what a message is: n, an archive begins; m, the manifest begins; d, data; p, progress. */
  function handleCopyData({ chunk }: { chunk: Buffer }, from: Connection): void {
    connection = from
    const kind = String.fromCharCode(chunk[0] ?? 0)
    if (kind === 'n') refuseTablespaces(chunk)
    if (kind === 'm') isManifest = true
    if (kind !== 'd') return
    const data = Buffer.from(chunk.subarray(1)) // a copy: the driver uses its buffer again
    if (isManifest) manifest.push(data)
    else if (!tar.push(data)) from.stream.pause()
  }

  function refuseTablespaces(chunk: Buffer): void {
    const [archive = ''] = chunk.subarray(1).toString('utf8').split('\0')
    if (archive !== 'base.tar') tar.destroy(new OperatorError('A database with tablespaces cannot be backed up.'))
  }

  const query = Object.assign(new Query(command), { handleCopyData })
  const ended = new Promise<Omit<BaseBackup, 'systemIdentifier'>>((resolve, reject) => {
    query.on('error', (error) => {
      tar.destroy(error)
      reject(error)
    })
    query.on('end', (results) => {
      tar.push(null)
      resolve({ ...positions(results), manifest: Buffer.concat(manifest) })
    })
  })
  ended.catch(() => {}) // awaited by the caller, who may be busy with the archive
  client.query(query)
  return { tar, ended }
}

/** The results are: the start, the tablespaces, the end. */
function positions(results: unknown): { timeline: number; startLsn: string; endLsn: string } {
  const rows = (Array.isArray(results) ? results : [results]).flatMap((result) => result.rows)
  const [first, last] = rows.filter((row) => 'recptr' in row)
  if (!first || !last) throw new Error('PostgreSQL did not say where the backup begins and ends')
  return { timeline: Number(first.tli), startLsn: first.recptr, endLsn: last.recptr }
}
