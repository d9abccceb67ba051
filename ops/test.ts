import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

/** Checks the alert rules and runs their unit tests with Prometheus's own tool. */
const folder = resolve(import.meta.dirname, 'prometheus')
const runs = [
  ['check', 'rules', 'patchbay.rules.yml'],
  ['test', 'rules', 'patchbay.rules.test.yml'],
]
for (const args of runs) {
  const { error, status } = spawnSync('promtool', args, { cwd: folder, stdio: 'inherit' })
  if (error) process.stderr.write('promtool is missing; on Debian: apt-get install prometheus\n')
  if (error || status !== 0) process.exit(1)
}
