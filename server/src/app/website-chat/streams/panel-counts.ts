import { randomUUID } from 'node:crypto'
import type { Db } from '../../../platform/database/db.ts'
import type { ChannelId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import type { OnChat } from '../visitors/visitor-store.ts'
import { writeOpenPanels } from './panel-store.ts'

export type PanelCounts = {
  add: (on: OnChat, more: 1 | -1) => void
  /** Says that none is open here any more. */
  end: () => Promise<void>
}

type Counted = { on: OnChat; open: number; written: number }

const soonMs = 1_000
/** Who counts panels believes a process for a little longer than twice that. */
const againMs = 60_000

/** Notes how many panels of each channel are open in this process: a moment after that changes, and every minute while any is. */
export function openPanelCounts(db: Db, log: Log): PanelCounts {
  const process = randomUUID()
  const channels = new Map<ChannelId, Counted>()
  let soon: NodeJS.Timeout | undefined
  let again: NodeJS.Timeout | undefined
  let isEnded = false

  async function write(which: Counted[]): Promise<void> {
    for (const one of which) {
      const { on, open } = one
      try {
        await writeOpenPanels(db, on, { process, open })
        one.written = open
        if (one.open === 0) channels.delete(on.channelId)
      } catch (error) {
        log.debug({ reason: String(error) }, 'how many panels are open is not noted')
      }
    }
    if (channels.size > 0 && !isEnded) again ??= setTimeout(writeAll, againMs).unref()
  }

  function writeAll(): void {
    again = undefined
    void write([...channels.values()])
  }

  function writeChanged(): void {
    soon = undefined
    void write([...channels.values()].filter(({ open, written }) => open !== written))
  }

  return {
    add: (on, more) => {
      if (isEnded) return
      const one = channels.getOrInsertComputed(on.channelId, () => ({ on, open: 0, written: 0 }))
      one.open += more
      soon ??= setTimeout(writeChanged, soonMs).unref()
    },
    end: async () => {
      isEnded = true
      for (const timer of [soon, again]) clearTimeout(timer)
      const open = [...channels.values()]
      for (const one of open) one.open = 0
      await write(open)
    },
  }
}
