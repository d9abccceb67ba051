import { chatPage, wideCaps } from '../common/website-chat.ts'
import { type Browser, change } from './browser.ts'

/** Connects a website chat for an account, as its owner does; returns the channel's id. `more`: what its owner sets besides. */
export async function connectChat(browser: Browser, more: object = { caps: wideCaps }): Promise<string> {
  // A chat works where its pages can fetch it: these servers are on this machine.
  const settings = { pages: [new URL(chatPage).host, 'localhost'], ...more }
  const { id } = await change(browser, 'POST', '/api/channels', { kind: 'webchat', settings })
  return id
}
