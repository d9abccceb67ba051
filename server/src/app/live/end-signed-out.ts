import { findAlive } from '../../business/sessions/session-store.ts'
import type { Db } from '../../platform/database/db.ts'
import { encode, type Stream } from './stream.ts'

/** Ends the streams whose session has ended or shows another account by now, in this process or in another. */
export async function endSignedOut(db: Db, streams: Stream[]): Promise<void> {
  if (streams.length === 0) return
  const alive = await findAlive(db, [...new Set(streams.map(({ session }) => session.tokenHash))])
  for (const stream of streams) {
    if (alive.get(stream.session.tokenHash) === stream.session.accountId) continue
    stream.write(encode({ kind: 'signed out' }))
    stream.end()
  }
}
