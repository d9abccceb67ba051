import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { makeCertificate } from '../server/src/platform/https-server/make-certificate.ts'

/**
 * Tries the files of this folder with the programs that they are for: alert rules, the unit of systemd, compose files, proxies. It
 * installs nothing; what is missing is named at the end, and the run has failed.
 */
const root = resolve(import.meta.dirname, '..')
const temporary = mkdtempSync(join(tmpdir(), 'patchbay-ops-'))
const compose = isThere('docker', ['compose', 'version']) ? ['docker', 'compose'] : ['docker-compose']
const packages = {
  promtool: 'prometheus',
  'systemd-analyze': 'systemd',
  nginx: 'nginx',
  caddy: 'caddy',
  haproxy: 'haproxy',
  logrotate: 'logrotate',
  ...(compose.length === 1 && { 'docker-compose': 'docker-compose' }), // version 2, of Debian 13 or later
}
const problems = Object.entries(packages)
  .filter(([program]) => !isThere(program))
  .map(([program, name]) => `${program} is missing; on Debian: apt-get install ${name}`)
run('promtool', ['check', 'rules', 'ops/prometheus/patchbay.rules.yml'])
run('promtool', ['test', 'rules', 'ops/prometheus/patchbay.rules.test.yml'])
const unit = copyWith('ops/systemd/patchbay.service', '/opt/patchbay', root)
run('systemd-analyze', ['verify', '--man=no', unit])
// Of 100, where 0 is the most confined: the unit has 16.
run('systemd-analyze', ['security', '--offline=true', '--no-pager', '--threshold=20', unit])
// `--debug` reads the file and changes nothing.
run('logrotate', ['--debug', 'ops/logrotate/patchbay'])
for (const file of ['single.yaml', 'cluster.yaml']) {
  const [program = '', ...args] = [...compose, '-f', `ops/compose/${file}`, 'config', '--quiet']
  run(program, args, { SITE_ADDRESS: 'chat.example.com' })
}
const { cert, key } = await makeCertificate('localhost')
writeFileSync(join(temporary, 'patchbay.pem'), cert + key)
writeFileSync(join(temporary, 'patchbay-servers.pem'), cert)
for (const file of ['patchbay.cfg', 'postgresql.cfg']) {
  run('haproxy', ['-c', '-f', copyWith(`ops/haproxy/${file}`, '/etc/haproxy', temporary)])
}
// The second are on a machine of half a core, where 2,000 entries take a while.
for (const [files, minutes] of [
  ['ops/test/*.test.ts', 5],
  ['ops/test/machine/*.test.ts', 60],
] as const) {
  run(process.execPath, [
    `--import=${resolve(root, 'server/process/resolve-imports.ts')}`,
    ...['--test', `--test-timeout=${minutes * 60_000}`, '--test-global-setup=server/test/setup.ts', files],
  ])
}
rmSync(temporary, { recursive: true })
process.stderr.write(problems.map((problem) => `${problem}\n`).join(''))
process.exitCode = problems.length > 0 ? 1 : 0

/** `args`: what it must be able to do. A client of Docker without its plugin for compose files fails. */
function isThere(program: string, args?: string[]): boolean {
  const { error, status } = spawnSync(program, args ?? ['--help'], { stdio: 'ignore' })
  return error === undefined && (!args || status === 0)
}

function run(program: string, args: string[], environment: Record<string, string> = {}): void {
  const env = { ...process.env, ...environment }
  const { error, status } = spawnSync(program, args, { cwd: root, stdio: 'inherit', env })
  if (!error && status !== 0) problems.push(`${program} ${args.join(' ')} failed.`)
}

/** A copy of the file for this machine: the checks look whether the files and programs that it names are there. */
function copyWith(file: string, from: string, to: string): string {
  const path = join(temporary, basename(file))
  writeFileSync(path, readFileSync(join(root, file), 'utf8').replaceAll(from, to))
  return path
}
