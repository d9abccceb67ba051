import { findAlive } from '../app-api/session-store.ts'
import type { Db } from '../platform/database/db.ts'
import { encode, type Stream } from './stream.ts'

/** Ends the streams whose session has ended, in this process or in another. */
export async function endSignedOut(db: Db, streams: Stream[]): Promise<void> {
  if (streams.length === 0) return
  const alive = await findAlive(db, [...new Set(streams.map(({ session }) => session.tokenHash))])
  for (const stream of streams) {
    if (alive.has(stream.session.tokenHash)) continue
    stream.write(encode({ kind: 'signed out' }))
    stream.end()
  }
}
