import type { EventValues, Tell } from '../shell.ts'

type Listener = (value: unknown) => void

/** What the page may call. `push` takes what was called before the chat was there, and goes on to work afterwards. */
export type Api = {
  id: string
  push: (call: unknown) => unknown
  identify: (token: string) => Promise<'member'>
  logout: () => void
  open: () => void
  close: () => void
  consent: (yes: boolean) => void
  on: (name: keyof EventValues, listener: Listener) => () => void
}

type Calls = Omit<Api, 'id' | 'push' | 'on'>
type Waiting = { patchbayChat?: Api | unknown[] }

/** None: a chat is on this page already. */
export function findOther(): string | undefined {
  const { patchbayChat } = window as unknown as Waiting
  return patchbayChat && !Array.isArray(patchbayChat) ? patchbayChat.id : undefined
}

export function openEvents(): { tell: Tell; on: Api['on'] } {
  const listeners: [name: string, listener: Listener][] = []
  return {
    tell: (name, value) => {
      for (const [wanted, listener] of listeners.slice()) if (wanted === name) attempt(() => listener(value))
    },
    on: (name, listener) => {
      const entry: [string, Listener] = [name, listener]
      listeners.push(entry)
      return () => {
        const at = listeners.indexOf(entry)
        if (at >= 0) listeners.splice(at, 1)
      }
    },
  }
}

/** What the page's own code throws is its own: it is said, and stops nothing of ours. */
function attempt(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    console.error('Patchbay chat: a function of this page failed.', error)
    return undefined
  }
}

/** Puts the object into the page, and does what was asked for before. */
export function showApi(id: string, calls: Calls, on: Api['on']): void {
  const names = { ...calls, on } as unknown as Record<string, (...given: unknown[]) => unknown>
  const push = (call: unknown) => {
    const [name, ...given] = Array.isArray(call) ? call : []
    const run = Object.hasOwn(names, String(name)) ? names[String(name)] : undefined
    if (!run) return console.warn(`Patchbay chat: there is nothing called ${String(name)}.`)
    const answer = attempt(() => run(...given))
    // Nobody can catch it: the events say it.
    if (answer instanceof Promise) answer.catch(() => {})
    return answer
  }
  const page = window as unknown as Waiting
  const before = Array.isArray(page.patchbayChat) ? page.patchbayChat : []
  page.patchbayChat = { ...calls, on, id, push }
  for (const call of before) push(call)
}
