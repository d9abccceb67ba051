import { chown, constants, copyFile, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { runAs } from '../embedded-postgres/run-as.ts'
import { OperatorError } from '../operator-error.ts'
import type { BackupFacts } from './backup-folder.ts'

/** 8 digits of the timeline, 16 of the position. */
const segmentName = /^[0-9A-F]{24}$/

/** The archive that goes on where the backup ends: the given one, or the one that the backup names. */
export async function findArchive(
  { archiveFolder }: BackupFacts,
  given: string | undefined,
  until: Date | undefined,
): Promise<string | undefined> {
  const candidates = given === undefined ? [archiveFolder] : [join(given, basename(archiveFolder ?? '')), given]
  for (const folder of candidates) {
    if (folder !== null && (await hasSegments(folder))) return folder
  }
  if (given !== undefined) throw new OperatorError(`There are no segments of a write-ahead log in ${given}.`)
  if (until === undefined) return undefined
  throw new OperatorError(
    archiveFolder === null
      ? 'The backup was taken without ARCHIVE_DIR, so only the time when it ended can be restored; leave --until out.'
      : `The archive of this backup was ${archiveFolder}, which is not here; give its place with --archive.`,
  )
}

async function hasSegments(folder: string): Promise<boolean> {
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) return false
  return (await readdir(folder)).some((name) => segmentName.test(name))
}

/**
 * Puts everything that the archive has since the backup's beginning where PostgreSQL finds it. They are copied by us
 * rather than by its `restore_command`, so that it need not be able to read the archive, nor have a shell.
 *
 * `missing` is the first segment that the archive should have and has not: the replay ends before it.
 */
export async function copySegments(
  archive: string,
  folder: string,
  facts: BackupFacts,
): Promise<{ segments: number; missing: string | undefined }> {
  const first = positionOf(facts.startLsn, facts.walSegmentBytes)
  const names = (await readdir(archive)).filter((name) => name.endsWith('.history') || isFrom(name, first)).sort()
  for (const name of names) await copyUnlessThere(join(archive, name), join(folder, 'pg_wal', name))
  const positions = [...new Set(names.filter((name) => segmentName.test(name)).map((name) => name.slice(8)))].sort()
  return { segments: positions.length, missing: findMissing(positions, facts) }
}

/** Removes the segments that none of these backups needs. By their positions: the times of a wrong clock say nothing. */
export async function pruneSegments(archive: string, backups: BackupFacts[]): Promise<number> {
  const [first = ''] = backups.map(({ startLsn, walSegmentBytes }) => positionOf(startLsn, walSegmentBytes)).sort()
  const older = (await readdir(archive)).filter((name) => segmentName.test(name) && name.slice(8) < first)
  for (const name of older) await rm(join(archive, name), { force: true })
  return older.length
}

function isFrom(name: string, first: string): boolean {
  return segmentName.test(name) && name.slice(8) >= first
}

/** The last 16 digits of the name of the segment that a position of the log is in; `0/B00028` is such a position. */
function positionOf(lsn: string, segmentBytes: number): string {
  const [high = '0', low = '0'] = lsn.split('/')
  const segment = Math.floor(Number.parseInt(low, 16) / segmentBytes)
  return `${high.padStart(8, '0')}${segment.toString(16).toUpperCase().padStart(8, '0')}`
}

/** The backup has the segments up to its end itself. */
function findMissing(positions: string[], { endLsn, walSegmentBytes }: BackupFacts): string | undefined {
  let before = positionOf(endLsn, walSegmentBytes)
  for (const position of positions.filter((one) => one > before)) {
    const expected = positionAfter(before, walSegmentBytes)
    if (position !== expected) return expected
    before = position
  }
  return undefined
}

function positionAfter(position: string, segmentBytes: number): string {
  const [high, low] = [Number.parseInt(position.slice(0, 8), 16), Number.parseInt(position.slice(8), 16)]
  const isLast = low + 1 === 2 ** 32 / segmentBytes
  return [isLast ? high + 1 : high, isLast ? 0 : low + 1].map(inHex).join('')
}

function inHex(part: number): string {
  return part.toString(16).toUpperCase().padStart(8, '0')
}

/** The backup has the first ones itself. */
async function copyUnlessThere(from: string, to: string): Promise<void> {
  const isThere = await copyFile(from, to, constants.COPYFILE_EXCL).then(
    () => false,
    (error) => (error.code === 'EEXIST' ? true : Promise.reject(error)),
  )
  const owner = runAs()
  if (owner && !isThere) await chown(to, owner.uid, owner.gid)
}
