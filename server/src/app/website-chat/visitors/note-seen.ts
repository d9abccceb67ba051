import { BoundedMap } from '../../../platform/collections.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { Log } from '../../../platform/log.ts'
import { type ChatRef, writeSeen } from './visitor-store.ts'

const onceInMs = 60_000
const mostKept = 50_000
const gatherMs = 1_000
const mostAtOnce = 1_000

/**
 * Notes at most once a minute that somebody looks at their chat. Nobody waits for it, and many are written by one statement: after a
 * restart everybody looks at once.
 */
export function openNoteSeen(db: Db, log: Log): (visitor: string, ref: ChatRef) => void {
  const noted = new BoundedMap<string, number>(mostKept)
  const waiting: ChatRef[] = []
  let timer: NodeJS.Timeout | undefined

  async function write(): Promise<void> {
    await writeSeen(db, waiting.splice(0, mostAtOnce)).catch((error) =>
      log.debug({ reason: String(error) }, 'when visitors were there is not noted'),
    )
    timer = undefined
    if (waiting.length > 0) wake()
  }

  function wake(): void {
    if (timer === undefined) timer = setTimeout(() => void write(), gatherMs).unref()
  }

  return (visitor, ref) => {
    const now = Date.now()
    if (now - (noted.get(visitor) ?? 0) < onceInMs) return
    noted.set(visitor, now)
    waiting.push(ref)
    wake()
  }
}
