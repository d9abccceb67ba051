import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { lostOf } from '../../../server/test/helpers/global-rules.ts'
import { runCommand } from '../../common/run-command.ts'
import { makeTemporaryFolder } from '../../common/temporary-folder.ts'
import type { Answered } from '../kills/client.ts'
import { queryOf } from '../kills/world.ts'
import { type Product, startProduct } from '../product.ts'
import { ledgerBreaches } from '../product-commands.ts'
import type { Tenant } from '../tenants.ts'

export type BackupFolders = { backups: string; archive: string }

export async function makeBackupFolders(started: AsyncDisposableStack): Promise<BackupFolders> {
  const folder = await makeTemporaryFolder('patchbay-soak-backup-', started)
  await chmod(folder, 0o755) // the database writes the archive, as another user when we are root
  return { backups: join(folder, 'backups'), archive: join(folder, 'archive') }
}

export async function backUp({ server, environment }: Product, { backups }: BackupFolders): Promise<void> {
  await runCommand(server, ['backup', '--to', backups, '--with-secret-key'], environment)
}

/**
 * F24: restores the backup that was taken under load to a moment after it, and starts the copy. Returns what is wrong: a message
 * that was acknowledged before that moment and is not there, or a ledger that does not add up.
 */
export async function checkRestored(
  { server, environment }: Product,
  { backups }: BackupFolders,
  { tenant, asked, until }: { tenant: Tenant; asked: Answered[]; until: Date },
): Promise<string[]> {
  await using started = new AsyncDisposableStack()
  const dataDir = await makeTemporaryFolder('patchbay-soak-restored-', started)
  const own = { ...environment, DATA_DIR: dataDir, PORT: '0', ARCHIVE_DIR: '' }
  await runCommand(server, ['restore', '--from', backups, '--until', until.toISOString(), '--paused'], own)
  const copy = started.use(await startProduct({ server, dataDir, environment: own }))
  const before = asked.filter(({ at, status }) => status === 200 && at < until.getTime())
  const lost = await lostOf(queryOf(copy), { accountId: tenant.accountId, asked: before, isRemoving: true })
  const wrong = [...lost.slice(0, 5), ...(await ledgerBreaches(copy))]
  return [
    ...wrong.map((breach) => `F24: in the restored copy: ${breach}`),
    ...(before.length === 0 ? ['F24: no message was acknowledged before the point in time'] : []),
  ]
}
