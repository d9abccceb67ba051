import type { Config } from '../../src/platform/config/config.ts'
import { describeSettings, isShared, type Settings, withSettings } from '../../src/platform/config/settings.ts'
import type { Db } from '../../src/platform/database/db.ts'
import { listRunningServers, type RunningServer } from '../../src/platform/database-setup/running-servers.ts'
import type { CommandCtx } from './command.ts'

/**
 * The settings to judge by: those of the running server, since it acts by them whatever the environment of the command
 * says; where none runs, those of the command. Of servers that disagree it is the one that started last. Where one of these
 * settings is another here, or at another server, it says so on standard error.
 */
export async function judgeBy(
  { config, note }: Pick<CommandCtx, 'config' | 'note'>,
  db: Db,
  names: readonly string[],
): Promise<Config> {
  const [server, ...others] = await listRunningServers(db)
  if (!server) return config
  const here = describeSettings(config)
  for (const name of names) {
    const inForce = said(server.settings, name)
    const elsewhere = others.filter(({ settings }) => said(settings, name) !== inForce)
    if (said(here, name) !== inForce)
      note(`${inForce} at the running server, ${said(here, name)} here; the server's counts.`)
    for (const other of elsewhere) {
      note(`${inForce} at ${server.name}, ${said(other.settings, name)} at ${other.name}; set the same at both.`)
    }
  }
  return withSettings(config, server.settings)
}

/** `KEEP_MESSAGES_DAYS=30`, or that it is not set and has no default. */
export function said(settings: Settings, name: string): string {
  const value = settings[name]?.value ?? ''
  return value === '' ? `${name} not set` : `${name}=${value}`
}

/** Settings that servers on one database should agree on and do not, each with who has what. */
export function disagreements(servers: RunningServer[]): string[] {
  const [first, ...others] = servers
  if (!first) return []
  return Object.keys(first.settings)
    .filter((name) => isShared(name))
    .filter((name) => others.some(({ settings }) => said(settings, name) !== said(first.settings, name)))
    .map((name) => servers.map((server) => `${said(server.settings, name)} at ${server.name}`).join(', '))
}
