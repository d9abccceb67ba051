import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { agency } from '../agency.ts'
import { business } from '../business.ts'
import { startDemo } from '../demo.ts'
import { endWhenAsked } from '../end-when-asked.ts'
import { agencyShots } from './agency-shots.ts'
import { broadcastShots } from './broadcast-shots.ts'
import { campaignShots } from './campaign-shots.ts'
import { chatShots } from './chat-shots.ts'
import { importShots } from './import-shots.ts'
import { inboxShots } from './inbox-shots.ts'
import { newcomerShots } from './newcomer-shots.ts'
import { reportShots } from './report-shots.ts'
import { settingsShots } from './settings-shots.ts'
import { shopShots } from './shop-shots.ts'
import { openStudio, type Shots } from './studio.ts'

/** Makes pictures of every screen and state from the demo: light and dark, wide and on a phone. */
const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: 'demo-data' },
    out: { type: 'string', default: 'pictures' },
    /** Only the pictures whose names contain this. */
    only: { type: 'string', default: '' },
  },
})

endWhenAsked(() => process.exit(1)) // server and browser end with this process
const demo = await startDemo(resolve(values.folder), await findFreePort())
const newcomer = { email: `newcomer-${Date.now()}@example.com`, password: 'newcomer-demo' }
try {
  await demo.makeAccount(newcomer.email, newcomer.password)
  await take(
    {
      ...inboxShots,
      ...shopShots,
      ...campaignShots,
      ...broadcastShots,
      ...importShots,
      ...reportShots,
      ...settingsShots,
      ...chatShots(demo.shopUrl),
    },
    business.owner,
  )
  await take(agencyShots, agency.owner)
  await take(newcomerShots(demo.receiverUrl), newcomer)
} finally {
  await demo.stop()
}

async function take(shots: Shots, owner: { email: string; password: string }): Promise<void> {
  await using studio = await openStudio({ url: demo.url, out: resolve(values.out), only: values.only, owner })
  for (const [name, shot] of Object.entries(shots)) await studio.take(name, shot)
}

/** Known before the server starts: the screens name it in their commands. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port, never on a pipe
  server.close()
  await once(server, 'close')
  return port
}
