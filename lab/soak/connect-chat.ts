import { chatPage, wideCaps } from '../common/website-chat.ts'
import { type Browser, change } from './browser.ts'

/** Connects a website chat for an account, as its owner does; returns the channel's id. */
export async function connectChat(browser: Browser, limits: 'wide' | 'usual' = 'wide'): Promise<string> {
  // A chat works where its pages can fetch it: these servers are on this machine.
  const settings = { pages: [new URL(chatPage).host, 'localhost'], ...(limits === 'wide' && { caps: wideCaps }) }
  const { id } = await change(browser, 'POST', '/api/channels', { kind: 'webchat', settings })
  return id
}
