import type { Db } from '../src/platform/database/db.ts'
import { checkConnections } from '../src/platform/database-setup/check-database.ts'
import { listRunningServers, type RunningServer } from '../src/platform/database-setup/running-servers.ts'
import { checkArchive, checkBackup } from './checks/check-backup.ts'
import { checkClock, checkDurability, checkMigrations, describeEmbedded } from './checks/check-database.ts'
import {
  checkCertificate,
  checkDisk,
  checkOpenFiles,
  checkServer,
  describeConfig,
  readMostOpenFiles,
} from './checks/check-machine.ts'
import { checkSettings, type ShownSetting, showSettings } from './checks/check-settings.ts'
import { checkCampaigns, checkChannels, checkEngine, checkReceivers } from './checks/check-work.ts'
import type { Run } from './declarations.ts'
import type { CommandCtx } from './shared/command.ts'
import { escapeForTerminal, layOut } from './shared/lay-out.ts'

type Finding = { check: string; ok: boolean; detail: string }

/** Prints each finding as soon as it is known; what takes long comes last. With --json it is one document at the end. */
export const doctor: Run<'doctor'> = async (ctx) => {
  const { config, withDatabase } = ctx
  const report = openReport(ctx)
  await report.find('configuration', () => describeConfig(config))
  await report.find('disk', () => checkDisk(config))
  let reached = false
  try {
    await withDatabase(async (db) => {
      reached = true
      await examine(ctx, db, report)
    })
  } catch (error) {
    if (reached) throw error
    await report.find('database', () => Promise.reject(error))
    await report.find('server', () => checkServer(config, []))
    await report.find('certificate', () => checkCertificate(config, []))
  }
  await report.find('built-in engine', checkEngine)
  return report.end()
}

async function examine({ config }: CommandCtx, db: Db, report: Report): Promise<void> {
  await report.find('database', async () => {
    if (config.databaseUrl === undefined) return describeEmbedded(config)
    await checkConnections(db, config.processes)
    return 'the database in DATABASE_URL responds'
  })
  await report.find('durability', () => checkDurability(db, config))
  await report.find('migrations', () => checkMigrations(db))
  await report.find('backup', () => checkBackup(db, config))
  await report.find('archive', () => checkArchive(db, config))
  await report.find('clock', () => checkClock(db))
  const servers = await listRunningServers(db)
  await report.find('server', () => checkServer(config, servers))
  await report.find('certificate', () => checkCertificate(config, servers))
  await report.find('settings', () => checkSettings(config, servers))
  report.show(showSettings(config, servers), servers)
  await report.find('campaigns', () => checkCampaigns(db))
  await report.find('receivers', () => checkReceivers(db, config, servers))
  await report.find('channels', () => checkChannels(db))
  await report.find('open files', async () => checkOpenFiles(config, { db, servers, most: await readMostOpenFiles() }))
}

type Report = ReturnType<typeof openReport>

function openReport({ json, print, fail }: CommandCtx) {
  const findings: Finding[] = []
  let shown: { settings: ShownSetting[]; servers: RunningServer[] } = { settings: [], servers: [] }
  return {
    find: async (check: string, run: () => Promise<string> | string): Promise<void> => {
      const finding = await toFinding(check, run)
      findings.push(finding)
      if (!json) print(finding, toLine(finding))
    },
    show: (settings: ShownSetting[], servers: RunningServer[]) => {
      shown = { settings, servers }
      if (!json) print({}, `\n${layOut({ settings })}\n`)
    },
    end: () => {
      const problems = findings.filter(({ ok }) => !ok).length
      if (problems > 0) fail()
      if (json) return { findings, ...shown }
      print({}, `\n${problems === 0 ? 'No problems.' : problems === 1 ? '1 problem.' : `${problems} problems.`}\n`)
      return undefined
    },
  }
}

async function toFinding(check: string, run: () => Promise<string> | string): Promise<Finding> {
  try {
    return { check, ok: true, detail: await run() }
  } catch (error) {
    return { check, ok: false, detail: error instanceof Error ? error.message : String(error) }
  }
}

/** As wide as the longest name of a check. */
const nameWidth = 'built-in engine'.length

function toLine({ check, ok, detail }: Finding): string {
  return `${ok ? 'ok     ' : 'PROBLEM'}  ${check.padEnd(nameWidth)}  ${escapeForTerminal(detail)}\n`
}
