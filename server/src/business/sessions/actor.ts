import type { Actor } from '../audit/store.ts'
import type { Session } from './session-store.ts'

/** To an account, whoever visits it is its agency. */
export function actorOf(session: Session | undefined): Actor {
  if (!session) return { kind: 'nobody' }
  const { userId, isVisiting, home } = session
  return isVisiting ? { kind: 'agency', agencyId: home.accountId } : { kind: 'user', userId }
}
