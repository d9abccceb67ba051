import { sql } from 'kysely'
import type { Db } from '../database/db.ts'
import type { Log } from '../log.ts'
import type { Channel, Listener } from './listen.ts'

/** The stages that one process can wake in another. */
type StageName = 'delivery' | 'bot' | 'retention' | 'broadcasts' | 'reports' | 'imports'

const channel: Channel = 'patchbay_work'

/**
 * Listens for notifications of work that others have committed for a stage, and returns what ends it. They may get lost;
 * stages also poll.
 */
export function listenForWork(listener: Listener, onWork: (stage: string) => void): () => void {
  return listener.listen(channel, { onNotification: onWork })
}

/**
 * Notifies the other processes after work was committed. Notifications within 10 ms become one, because NOTIFY takes a
 * lock that the whole database shares.
 */
export function openNotifier(db: Db, log: Log, stage: StageName): () => void {
  const gatherMs = 10
  let isPending = false
  return () => {
    if (isPending) return
    isPending = true
    setTimeout(() => {
      isPending = false
      notifyWorkers(db, stage).catch((error) =>
        log.warn({ reason: String(error) }, 'could not notify other processes of work'),
      )
    }, gatherMs).unref()
  }
}

export async function notifyWorkers(db: Db, stage: StageName): Promise<void> {
  await sql`select pg_notify(${channel}, ${stage})`.execute(db)
}
