import type { Message } from '@patchbay/contract/app/messages.ts'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../ui/button.tsx'
import { ChannelMark } from '../../ui/channel.tsx'
import { nameOfWay } from '../compose/name-of-way.ts'
import { useWriteAgain } from '../compose/use-write-again.ts'
import { detailQuery, threadQuery } from '../data/queries.ts'
import { specialWords as words } from './special-words.ts'

/** Offers another way for a text that did not leave. It is put where a reply is written: nothing changes its way by itself. */
export function OtherWay({ message: { contactId, body, channel, file, seq } }: { message: Message }) {
  const { data: detail } = useQuery(detailQuery(contactId))
  const { data: thread } = useQuery(threadQuery(contactId))
  const writeAgain = useWriteAgain()
  const own = channel.kind === null ? 'custom' : channel.label
  const other = detail?.replyBy.ways.find(
    ({ channelId, whyNot, waits }) => channelId !== own && whyNot === null && waits === null,
  )
  if (!other || file || body === '') return null
  const afterSeq = thread?.messages.at(-1)?.seq ?? seq
  const run = () => writeAgain({ contactId, body, channelId: other.channelId, afterSeq })
  return (
    <Button size="sm" onClick={run}>
      <span className="row" aria-hidden="true">
        <ChannelMark channel={other.channel} />
      </span>
      {other.channel.kind === null ? words.byOwnPlatform : words.by(nameOfWay(other))}
    </Button>
  )
}
