import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/**
 * Tries the files of this folder with the programs that they are for: alert rules, the unit of systemd, compose files, proxies. It
 * installs nothing; what is missing is named at the end, and the run has failed.
 */
const root = resolve(import.meta.dirname, '..')
const temporary = mkdtempSync(join(tmpdir(), 'patchbay-ops-'))
const compose = isThere('docker-compose') ? 'docker-compose' : 'docker'
const packages = {
  ...{ promtool: 'prometheus', 'systemd-analyze': 'systemd', nginx: 'nginx', caddy: 'caddy' },
  [compose]: 'docker-compose', // version 2, of Debian 13 or later
}
const problems = Object.entries(packages)
  .filter(([program]) => !isThere(program))
  .map(([program, name]) => `${program} is missing; on Debian: apt-get install ${name}`)
run('promtool', ['check', 'rules', 'ops/prometheus/patchbay.rules.yml'])
run('promtool', ['test', 'rules', 'ops/prometheus/patchbay.rules.test.yml'])
const unit = unitOfThisCheckout()
run('systemd-analyze', ['verify', '--man=no', unit])
// Of 100, where 0 is the most confined: the unit has 16.
run('systemd-analyze', ['security', '--offline=true', '--no-pager', '--threshold=20', unit])
for (const file of ['single.yaml', 'cluster.yaml']) {
  const args = ['-f', `ops/compose/${file}`, 'config', '--quiet']
  run(compose, compose === 'docker' ? ['compose', ...args] : args, { SITE_ADDRESS: 'chat.example.com' })
}
run(process.execPath, [
  `--import=${resolve(root, 'server/resolve-imports.ts')}`,
  ...['--test', '--test-timeout=300000', '--test-global-setup=server/test/setup.ts', 'ops/test/*.test.ts'],
])
rmSync(temporary, { recursive: true })
process.stderr.write(problems.map((problem) => `${problem}\n`).join(''))
process.exitCode = problems.length > 0 ? 1 : 0

function isThere(program: string): boolean {
  return spawnSync(program, ['--help'], { stdio: 'ignore' }).error === undefined
}

function run(program: string, args: string[], environment: Record<string, string> = {}): void {
  const env = { ...process.env, ...environment }
  const { error, status } = spawnSync(program, args, { cwd: root, stdio: 'inherit', env })
  if (!error && status !== 0) problems.push(`${program} ${args.join(' ')} failed.`)
}

/** The unit names programs in /opt/patchbay, and its check looks whether they are there. */
function unitOfThisCheckout(): string {
  const path = join(temporary, 'patchbay.service')
  const text = readFileSync(join(root, 'ops/systemd/patchbay.service'), 'utf8')
  writeFileSync(path, text.replaceAll('/opt/patchbay', root))
  return path
}
