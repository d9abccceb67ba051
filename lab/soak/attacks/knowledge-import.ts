import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { incomingPath, post } from '../../common/public-api.ts'
import { makeTemporaryFolder } from '../../common/temporary-folder.ts'
import { openTenants } from '../tenants.ts'
import { type Attack, type Counts, count } from './attack.ts'
import { atRate, openCountingSender } from './requests.ts'

const entries = 2_000

/** A large file of knowledge, imported again and again while the bot of the same campaign answers. */
export const knowledgeImport: Attack = async ({ server, database, environment, port, seed }, started) => {
  const tenants = started.use(openTenants({ database, port }))
  const { apiKey, campaignId } = await tenants.make({ campaign: { quietSeconds: 0, maxMisses: 100 } })
  const folder = await makeTemporaryFolder('patchbay-soak-', started)
  const file = join(folder, 'knowledge.json')
  const { NODE_OPTIONS: _, ...env } = environment

  async function importOnce(round: number, counts: Counts, stopping: AbortSignal): Promise<void> {
    const about = (n: number) => `What does article ${n} of the catalogue cost?`
    const list = Array.from({ length: entries }, (_entry, n) => ({
      questions: [about(n)],
      answer: `Article ${n} costs ${n + round} euros.`,
    }))
    await writeFile(file, JSON.stringify(list))
    const args = ['knowledge', 'import', '--campaign', campaignId, '--file', file, '--json']
    const child = spawn(join(server, 'server/cli.ts'), args, { env, stdio: 'ignore' })
    const stop = () => child.kill('SIGTERM')
    stopping.addEventListener('abort', stop)
    const [code] = await once(child, 'exit')
    stopping.removeEventListener('abort', stop)
    count(counts, code === 0 ? 'imported' : stopping.aborted ? 'import cut short' : 'import failed')
  }

  return async (stopping) => {
    const counts: Counts = {}
    const send = openCountingSender(port, counts)
    const asking = atRate(5, stopping, (n) => {
      const body = `What does article ${n % entries} cost?`
      const customData = { messageSid: `${seed} ${n}`, fromId: `person ${n % 50}`, toId: 'x', body }
      return send(post(apiKey, incomingPath, { customData }))
    })
    for (let round = 0; !stopping.aborted; round += 1) await importOnce(round, counts, stopping)
    await asking
    return counts
  }
}
