import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import { type Address, Addresses } from '../../ui/addresses.tsx'
import { inboxWords as words } from '../words.ts'

/** The ways by which the contact is known. Whoever is known to the own platform alone has an ID there, and nothing else. */
export function ReachedBy({ detail }: { detail: ConversationDetail }) {
  return (
    <section className="panel-sec">
      <h3>{words.reachedBy}</h3>
      <Addresses addresses={addressesOf(detail)} />
    </section>
  )
}

function addressesOf({ replyBy }: ConversationDetail): Address[] {
  return replyBy.ways.flatMap(({ address, ...way }) => (address === null ? [] : { ...way, address }))
}

export function isOnChannels(detail: ConversationDetail): boolean {
  return detail.replyBy.ways.some(({ channel, address }) => channel.kind !== null && address !== null)
}
