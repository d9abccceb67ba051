import { limits } from '@patchbay/contract/limits.ts'
import type { FastifyReply } from 'fastify'
import type { Session } from '../../business/sessions/session-store.ts'
import type { AccountId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { type Audience, type Follower, openAudience } from './audience.ts'
import { openStream, type Stream } from './stream.ts'

/** All open streams of this process. */
export type Registry = {
  /** Begins a stream; refuses when there are too many. */
  add: (session: Session, reply: FastifyReply) => Stream
  /** Who follows an account hears what changes there, whether or not anybody has a stream. Returns what ends it. */
  follow: (accountId: AccountId, follower: Follower) => () => void
  of: (accountId: AccountId) => Audience | undefined
  audiences: () => Audience[]
  streams: () => Stream[]
  count: () => number
}

export function openRegistry(): Registry {
  const audiences = new Map<AccountId, Audience>()
  let count = 0

  function add(session: Session, reply: FastifyReply): Stream {
    const { accountId } = session
    refuseIfFull(count, audiences.get(accountId)?.streams.size ?? 0)
    const audience = audiences.getOrInsertComputed(accountId, () => openAudience(accountId))
    const stream = openStream(session, reply, () => {
      count -= 1
      audience.streams.delete(stream)
      leave(audience)
    })
    count += 1
    audience.streams.add(stream)
    return stream
  }

  function leave(audience: Audience): void {
    const { accountId, streams, followers } = audience
    if (streams.size + followers.size === 0 && audiences.get(accountId) === audience) audiences.delete(accountId)
  }

  return {
    add,
    follow: (accountId, follower) => {
      const audience = audiences.getOrInsertComputed(accountId, () => openAudience(accountId))
      audience.followers.add(follower)
      return () => {
        audience.followers.delete(follower)
        leave(audience)
      }
    },
    of: (accountId) => audiences.get(accountId),
    audiences: () => [...audiences.values()],
    streams: () => [...audiences.values()].flatMap(({ streams }) => [...streams]),
    count: () => count,
  }
}

function refuseIfFull(inProcess: number, ofAccount: number): void {
  const isAccountFull = ofAccount >= limits.streamsPerAccount
  if (!isAccountFull && inProcess < limits.streams) return
  const whose = isAccountFull ? 'This account' : 'This server'
  throw new Refusal('RATE_LIMITED', `${whose} has too many live streams; poll instead, and try again later.`, {
    retryAfterSeconds: 60,
  })
}
