import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Client as Database } from 'pg'

export type Shop = {
  url: string
  /** As the channel's settings name it. */
  page: string
  /** Puts the chat of this data folder on the page, wherever the page is today. */
  showChat: (database: Database, patchbay: string) => Promise<void>
  close: () => void
}

/** A page of the shop, on an address of its own. `?lang=ar`: in another language, as far as the chat is concerned. */
export async function startShop(): Promise<Shop> {
  let line = ''
  const html = readFileSync(join(import.meta.dirname, 'shop.html'), 'utf8')
  const server = createServer(({ url = '/' }, response) => {
    const language = /[?&]lang=([a-z]{2})\b/.exec(url)?.[1] ?? 'en'
    const begin = `<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(html.replace('<html lang="en">', begin).replace('<!-- the line -->', line))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const page = `localhost:${(server.address() as AddressInfo).port}` // it listens on a port, never on a pipe
  return {
    ...{ url: `http://${page}/`, page },
    showChat: async (database, patchbay) => {
      const { rows } = await database.query(moveChat, [JSON.stringify([page])])
      const id = rows[0]?.id
      line = id ? `<script async src="${patchbay}/chat/${id}.js"></script>` : ''
    },
    close: () => server.close(),
  }
}

const moveChat = `update channels set settings = jsonb_set(settings, '{pages}', $1) where kind = 'webchat' and state <> 'removed' returning id`
