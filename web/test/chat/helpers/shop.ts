import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { patienceMs } from '../../../../server/test/helpers/until.ts'
import { openChromium } from './chromium.ts'

/** A page of the shop. `lang`, `head` and `body` are its own; the chat's line stands at the end of the body unless it is said elsewhere. */
export type ShopPage = {
  lang?: string
  head?: string
  body?: string
  policy?: string
  headers?: Record<string, string>
  /** The chat's line; empty: nowhere. */
  line?: string
}

export type Shop = {
  /** Of the shop's own site, `https://shop.test:…`. */
  url: string
  /** The same pages on a site that is not among those of the chat. */
  evilUrl: string
  port: number
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Serves pages over https by the tests' certificate. `line`: the script element of the chat. */
export async function openShop(pages: Record<string, ShopPage>, line: string): Promise<Shop> {
  const folder = join(process.env.PATCHBAY_TEST_DATA ?? '', 'tls')
  const [cert, key] = await Promise.all([readFile(join(folder, 'cert.pem')), readFile(join(folder, 'key.pem'))])
  const server = createServer({ cert, key }, (request, response) => answer(request, response, pages, line))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `https://shop.test:${port}`,
    evilUrl: `https://evil.test:${port}`,
    port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

function answer(
  { url = '/' }: IncomingMessage,
  response: ServerResponse,
  pages: Record<string, ShopPage>,
  line: string,
) {
  const page = pages[new URL(url, 'https://shop.test').pathname]
  if (!page) return response.writeHead(url === '/favicon.ico' ? 204 : 404).end()
  const { lang = 'en', head = '', body = storefront, policy, headers } = page
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    ...(policy === undefined ? {} : { 'content-security-policy': policy }),
    ...headers,
  })
  const html = `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>Kettle Lane Cycles</title><meta name="viewport" content="width=device-width, initial-scale=1">${head}</head><body>${body}${page.line ?? line}</body></html>`
  return response.end(html)
}

/** What the design shows the chat on. */
const storefront = `<main><h1>Bikes for every day, mended while you wait.</h1><p>New and used bicycles, e-bike service and a workshop where you may watch. Behind the market since 1987.</p><p><a href="/other">Workshop</a></p></main>`

export type Visit = {
  page: Page
  context: BrowserContext
  /** What fails the test when it closes; a test that provokes a problem takes it out. */
  problems: string[]
  /** Addresses that were asked for, with their methods. */
  requests: string[]
  newPage: () => Promise<Page>
  [Symbol.asyncDispose]: () => Promise<void>
}

type Looks = {
  width?: number
  height?: number
  colorScheme?: 'light' | 'dark'
  reducedMotion?: 'reduce' | 'no-preference'
  forcedColors?: 'active' | 'none'
  locale?: string
  /** Not in a headless shell, where there is another. */
  isWhole?: boolean
}

/**
 * A browser that was never here. When it closes, the test fails if a page logged an error, broke a policy, got a cookie, or asked
 * any host but the shop's and ours.
 */
export async function visit({ width = 1280, height = 820, isWhole, ...looks }: Looks = {}): Promise<Visit> {
  const browser = await openChromium(isWhole)
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    viewport: { width, height },
    locale: 'en-GB',
    ...looks,
  })
  context.setDefaultTimeout(patienceMs)
  const [problems, requests]: [string[], string[]] = [[], []]
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
      console.error(`policy: ${effectiveDirective} ${blockedURI}`),
    )
  })
  context.on('page', (page) => watch(page, problems, requests))
  const page = await context.newPage()
  return {
    page,
    context,
    problems,
    requests,
    newPage: () => context.newPage(),
    [Symbol.asyncDispose]: async () => {
      const cookies = await context.cookies().catch(() => [])
      await context.close()
      problems.push(...cookies.map(({ name }) => `cookie: ${name}`))
      assert.deepEqual(problems, [])
    },
  }
}

/** A failed request is no error of the page: tests cut connections on purpose. */
function watch(page: Page, problems: string[], requests: string[]): void {
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    const text = message.text()
    if (message.type() === 'error' && !/Failed to load resource|net::ERR_/.test(text)) problems.push(`console: ${text}`)
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (/^(blob|data|about):/.test(url.protocol)) return
    if (!/^(shop|evil|patchbay)\.test$/.test(url.hostname)) problems.push(`calls ${request.url()}`)
    if (url.hostname === 'patchbay.test') requests.push(`${request.method()} ${url.pathname}${url.search}`)
  })
}
