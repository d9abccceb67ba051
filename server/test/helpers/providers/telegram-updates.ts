import type { Update } from '@grammyjs/types'

type Poll = { offset: number; limit: number; seconds: number; closed: Promise<void> }

/** The updates of a bot that nobody has confirmed yet. */
export type Updates = {
  add: (update: Omit<Update, 'update_id'>) => void
  waiting: () => Update[]
  confirm: (updateId: number) => void
  /** As `getUpdates`: undefined when another request took its place. */
  poll: (poll: Poll) => Promise<Update[] | undefined>
  /** Called for each update that is added. */
  onAdded: (listener: () => void) => void
  /** How many polls are open, the most that ever were at once, and for how many seconds each wanted to wait. */
  polls: { open: number; most: number; waits: number[] }
}

export function openUpdates(): Updates {
  let [waiting, lastId]: [Update[], number] = [[], 100_000]
  let replace: (() => void) | undefined
  const listeners: (() => void)[] = []
  const polls = { open: 0, most: 0, waits: [] as number[] }

  async function hold({ limit, seconds, closed }: Poll): Promise<Update[] | undefined> {
    const { promise, resolve } = Promise.withResolvers<Update[] | undefined>()
    const answer = () => resolve(waiting.slice(0, limit))
    replace?.()
    const own = () => resolve(undefined)
    replace = own
    if (waiting.length > 0) answer()
    else listeners.push(answer)
    const timer = setTimeout(answer, seconds * 1_000)
    void closed.then(answer)
    polls.waits.push(seconds)
    polls.open += 1
    polls.most = Math.max(polls.most, polls.open)
    try {
      return await promise
    } finally {
      polls.open -= 1
      clearTimeout(timer)
      if (listeners.includes(answer)) listeners.splice(listeners.indexOf(answer), 1)
      if (replace === own) replace = undefined
    }
  }

  return {
    add: (update) => {
      lastId += 1
      waiting.push({ update_id: lastId, ...update } as Update) // as the caller made it
      for (const listener of [...listeners]) listener()
    },
    waiting: () => waiting,
    confirm: (updateId) => {
      waiting = waiting.filter(({ update_id }) => update_id !== updateId)
    },
    poll: (poll) => {
      waiting = waiting.filter(({ update_id }) => update_id >= poll.offset)
      return hold(poll)
    },
    onAdded: (listener) => listeners.push(listener),
    polls,
  }
}
