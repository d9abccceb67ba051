import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** What a scenario runs that does not come with `npm ci`. */
export type Need = 'patroni' | 'haproxy'

type Program = { name: string; package: string }

const programs: Record<Need, Program[]> = {
  patroni: [
    { name: 'patroni', package: 'patroni' },
    { name: 'patronictl', package: 'patroni' },
    { name: 'etcd', package: 'etcd-server' },
  ],
  haproxy: [{ name: 'haproxy', package: 'haproxy' }],
}

/** Debian has haproxy in sbin, which is not in the PATH of everybody. */
export const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** What is missing, as the operator should read it; undefined when everything is there. */
export function describeMissing(needs: readonly Need[]): string | undefined {
  const missing = [
    ...new Set(needs)
      .values()
      .flatMap((need) => programs[need])
      .filter(({ name }) => !isInstalled(name)),
    ...(needs.includes('patroni') && findPostgres() === undefined
      ? [{ name: 'postgres (15 or later, in /usr/lib/postgresql)', package: 'postgresql-15' }]
      : []),
    ...(needs.includes('patroni') && isRoot && !isInstalled('setpriv')
      ? [{ name: 'setpriv', package: 'util-linux' }]
      : []),
  ]
  if (missing.length === 0) return undefined
  const packages = [...new Set(missing.map((program) => program.package))].join(' ')
  return [
    'This test runs programs that npm does not install. Missing:',
    ...missing.map((program) => `  ${program.name} (Debian package ${program.package})`),
    'To install them without starting any of their services:',
    `  RUNLEVEL=1 apt-get install -y --no-install-recommends ${packages}`,
    '',
  ].join('\n')
}

/** PostgreSQL refuses to run as root; its Debian package creates a user for it. */
export const isRoot = process.getuid?.() === 0

function isInstalled(program: string): boolean {
  return path.split(':').some((folder) => isExecutable(join(folder, program)))
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const debianFolder = '/usr/lib/postgresql'

/** The folder of the lowest version that Patchbay supports: what works there works with the later ones. */
export function findPostgres(): string | undefined {
  if (!existsSync(debianFolder)) return undefined
  const versions = readdirSync(debianFolder).filter((name) => /^\d+$/.test(name) && Number(name) >= 15)
  const folders = versions.toSorted((a, b) => Number(a) - Number(b)).map((name) => join(debianFolder, name, 'bin'))
  return folders.find((folder) => isExecutable(join(folder, 'postgres')))
}
