import { chromium } from 'playwright-core'
import { buildApp } from '../../server/src/app/page/build-app.ts'
import * as server from '../../server/test/setup.ts'
import { findChromium } from './helpers/find-chromium.ts'

let running: AsyncDisposableStack | undefined

/** Runs once before all browser tests: a database to clone, the build of the app, and one browser that all files share. */
export async function globalSetup(): Promise<void> {
  const executablePath = findChromium()
  await using started = new AsyncDisposableStack()
  await server.globalSetup()
  started.defer(server.globalTeardown)
  await buildApp()
  const browser = await chromium.launchServer({ executablePath, args: quiet })
  started.defer(() => browser.close())
  process.env.PATCHBAY_TEST_BROWSER = browser.wsEndpoint()
  running = started.move()
}

export async function globalTeardown(): Promise<void> {
  await running?.disposeAsync()
}

/** Traffic only to loopback (a browser looks for updates and for Google's hosts by itself), by certificates of our own. */
const quiet = [
  // Pages of one address in one context share a process, whose memory has the app compiled: a page takes 0.6 s, not 1.1.
  '--process-per-site',
  // Without one it draws by a program that plays a graphics card, which took a third of all that these tests cost.
  '--disable-gpu',
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--no-first-run',
  // The browser as a whole, not a context: downloads over a new connection ask no context and would be cancelled.
  '--ignore-certificate-errors',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1',
]
