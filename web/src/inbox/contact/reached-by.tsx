import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import { lazy, Suspense } from 'react'
import { type Address, Addresses } from '../../ui/addresses.tsx'
import { Time } from '../../ui/time.tsx'
import { inboxWords as words } from '../words.ts'

// What only visitors of a website bring is loaded with the first of them.
const OfVisitor = lazy(() => import('./of-visitor.tsx').then(({ OfVisitor }) => ({ default: OfVisitor })))

/** The ways by which the contact is known. Whoever is known to the own platform alone has an ID there, and nothing else. */
export function ReachedBy({ detail }: { detail: ConversationDetail }) {
  const visits = detail.replyBy.ways.filter(({ visitor }) => visitor !== null)
  return (
    <section className="panel-sec">
      <h3>{words.reachedBy}</h3>
      <Addresses addresses={addressesOf(detail)} />
      <Suspense>
        {visits.map((way) => (
          <OfVisitor key={way.channelId} detail={detail} way={way} />
        ))}
      </Suspense>
    </section>
  )
}

function addressesOf({ replyBy }: ConversationDetail): Address[] {
  return replyBy.ways.flatMap(({ address, ...way }) =>
    address === null ? [] : { ...way, address, says: seenOf(way.visitor) },
  )
}

function seenOf(visitor: ReplyWay['visitor']) {
  if (!visitor?.seenAt) return undefined
  return (
    <>
      {words.lastSeen} <Time at={visitor.seenAt} />
    </>
  )
}

export function isOnChannels(detail: ConversationDetail): boolean {
  return detail.replyBy.ways.some(({ channel, address }) => channel.kind !== null && address !== null)
}
