import type { ChatMarks, ChatPage } from '@patchbay/contract/chat/protocol.ts'
import type { Memory, Thread } from './memory.ts'
import { isRefused, type Request } from './request.ts'
import type { Tabs } from './tabs.ts'

const dayMs = 86_400_000
const oncePerMs = 60_000

/** When the server is asked next about a message of theirs that is unanswered; null: not any more. */
function nextLookMs({ isVisible, waits, now }: { isVisible: boolean; waits: number; now: number }) {
  const [everyMs, forMs] = isVisible ? [30_000, 300_000] : [60_000, 900_000]
  return waits > 0 && now - waits < forMs ? everyMs : null
}

/** Whether a page that has just come asks once: somebody has written within a day, and no tab has asked within a minute. */
export function looksAtOnce(thread: Thread | undefined, now: number): boolean {
  return thread !== undefined && thread.at > 0 && now - thread.at < dayMs && now - thread.asked >= oncePerMs
}

type Parts = {
  memory: Memory
  tabs: Tabs
  request: Request
  bearer: () => string | undefined
  /** A page of messages, or that the server refuses who asks. */
  took: (page: ChatPage | null, after: number) => void
  refused: (error: unknown) => void
}

export type Watch = {
  look: () => Promise<void>
  /** Called when anything has changed that decides when the next look is: also with what another tab has asked. */
  plan: () => void
  heard: () => void
  /** While the panel hears everything by itself. */
  rest: (isResting: boolean) => void
}

/** Asks for new messages while no stream is open: rarely, and only where somebody waits for an answer. */
export function openWatch(parts: Parts): Watch {
  let timer = 0
  let askedAt = 0
  let isResting = false
  const plan = () => {
    clearTimeout(timer)
    const thread = parts.memory.thread()
    const everyMs =
      thread && !isResting
        ? nextLookMs({ isVisible: document.visibilityState === 'visible', waits: thread.waits, now: Date.now() })
        : null
    if (everyMs === null) return
    timer = setTimeout(() => void look(), Math.max(0, askedAt + everyMs - Date.now())) as unknown as number
  }
  const look = async () => {
    askedAt = Date.now()
    parts.memory.saveThread({ asked: askedAt })
    parts.tabs.say({ is: 'asked' })
    await ask(parts)
    plan()
  }
  return {
    look,
    plan,
    heard: () => {
      askedAt = Date.now()
      plan()
    },
    rest: (rests) => {
      isResting = rests
      askedAt = Date.now()
      plan()
    },
  }
}

async function ask({ memory, request, bearer, took, refused }: Parts): Promise<void> {
  const thread = memory.thread()
  const asking = bearer()
  if (!thread || asking === undefined || !memory.isKnown()) return
  const after = thread.seen
  try {
    const response = await request(`messages?after=${after}`, { bearer: asking, withinMs: 20_000 })
    const page: ChatPage | null = response.status === 204 ? null : await response.json()
    if (bearer() !== asking) return // somebody else by now
    took(page, after)
    const last = page ? Math.max(0, ...page.messages.map(({ seq }) => seq)) : 0
    const marks: ChatMarks = { delivered: last, read: Math.min(thread.seen, last) }
    if (last > 0) await request('marks', { bearer: asking, body: marks, withinMs: 20_000 })
  } catch (error) {
    if (isRefused(error)) refused(error)
  }
}
