import { after } from 'node:test'
import { type Browser, chromium } from 'playwright-core'
import { findChromium } from '../../helpers/find-chromium.ts'

/**
 * A browser of its own: for it all names below `.test` are this machine, so that pages are of sites of their own, and it keeps pages
 * to which one goes back, which Playwright forbids the one that all tests share.
 */
export function openChromium(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: findChromium(),
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
    args: [
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
  return browser
}

let browser: Promise<Browser> | undefined
after(async () => await (await browser)?.close())
