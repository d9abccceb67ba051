import type { Config } from '../../src/platform/config/config.ts'
import { describeSettings, isShared, type Settings } from '../../src/platform/config/settings.ts'
import type { RunningServer } from '../../src/platform/database-setup/running-servers.ts'
import { disagreements, said } from '../shared/judge-by.ts'

export type ShownSetting = { setting: string; value: string; from: string }

/** Whose settings are in force, where this environment differs in what commands judge by, and servers that disagree. */
export function checkSettings(config: Config, servers: RunningServer[]): string {
  const [server] = servers
  if (!server) return 'of this environment, since no server runs'
  const differing = disagreements(servers)
  if (differing.length > 0) {
    throw new Error(`servers disagree: ${differing.join('; ')}; set the same for each, and restart it`)
  }
  const here = describeSettings(config)
  const other = Object.keys(here).filter(
    (name) => isShared(name) && name !== 'PUBLIC_URL' && said(here, name) !== said(server.settings, name),
  )
  const names = servers.map(({ name, version }) => `${name}, version ${version}`).join('; ')
  return other.length === 0 ? `of ${names}` : `of ${names}; others here, which do not count: ${other.join(', ')}`
}

/** Each value in force and where it came from; of several servers, those of the one that started last. */
export function showSettings(config: Config, [server]: RunningServer[]): ShownSetting[] {
  const here = describeSettings(config)
  const settings: Settings = server?.settings ?? here
  const where = server ? 'environment of the server' : 'environment'
  const names = new Set([...Object.keys(here), ...Object.keys(settings)]) // in our order; it may be of another version
  return [...names].flatMap((setting) => {
    const inForce = settings[setting]
    if (!inForce) return []
    const { value, isSet } = inForce
    const own = here[setting]
    const isOther = server !== undefined && own?.isSet === true && own.value !== value
    const note = isOther ? `; ${own.value === '' ? 'empty' : own.value} in this one` : ''
    return { setting, value: value === '' ? '–' : value, from: `${isSet ? where : 'default'}${note}` }
  })
}
