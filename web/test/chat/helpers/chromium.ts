import { after } from 'node:test'
import { type Browser, chromium } from 'playwright-core'
import { findChromium, findWholeChromium } from '../../helpers/find-chromium.ts'

/**
 * A browser of its own: for it all names below `.test` are this machine, so that pages are of sites of their own, and it keeps pages
 * to which one goes back, which Playwright forbids the one that all tests share. A headless shell keeps none: `isWhole` is one with
 * everything.
 */
export function openChromium(isWhole = false): Promise<Browser> {
  const executablePath = isWhole ? findWholeChromium() : findChromium()
  return browsers.getOrInsertComputed(executablePath, () => launch(executablePath))
}

const browsers = new Map<string, Promise<Browser>>()
after(async () => {
  for (const browser of browsers.values()) await (await browser).close()
})

function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
    args: [
      '--disable-gpu',
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-quic',
      '--no-first-run',
      '--ignore-certificate-errors',
      '--host-resolver-rules=MAP *.test 127.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    ],
  })
}
