import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import type { ProviderKindName } from '@patchbay/contract/channels.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Check from 'lucide-react/icons/check'
import { callWithSignal } from '../../../data/api.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { CopyLine } from '../../../ui/copy-line.tsx'
import { StatusDot } from '../../../ui/status-dot.tsx'
import { StepLine } from '../../../ui/step.tsx'
import { senderWords } from '../kind-words.ts'
import type { Progress } from '../progress.ts'
import { connectWords as words } from '../words.ts'

type Props = {
  n: number
  isCurrent: boolean
  kind: ProviderKindName
  channel: ChannelInUse | undefined
  progress: Progress
}

/** Done when a message came; then it leads on. */
export function MessageStep({ n, isCurrent, kind, channel, progress }: Props) {
  return (
    <StepLine
      n={n}
      title={progress.message ? words.writeDone : (senderWords[kind].choice?.write ?? words.write)}
      at={channel?.lastEventAt}
      isDone={progress.message}
      isCurrent={isCurrent}
    >
      {channel && progress.message && <Heard channelId={channel.id} />}
      {channel && progress.receiving && !progress.message && <HowToWrite kind={kind} address={channel.address} />}
    </StepLine>
  )
}

/** Where people write to it; the line below turns green by itself. */
export function HowToWrite({ kind, address }: { kind: ProviderKindName; address: string }) {
  const own = senderWords[kind]
  return (
    <>
      <p className="muted">{own.write}</p>
      <div className="row wrap">
        <CopyLine text={own.link(address)} what={own.linkWhat} />
      </div>
      <p className="connect-listen" role="status">
        <StatusDot state="ok" />
        {words.listening}
      </p>
    </>
  )
}

const lookMs = 2_000

/** What came first, and where to go from here. */
export function Heard({ channelId }: { channelId: string }) {
  const { data } = useQuery({
    // Not by its route: what the inbox has by that are pages, which it changes by itself.
    queryKey: ['first conversation', channelId],
    queryFn: ({ signal }) =>
      callWithSignal('GET /api/conversations', signal, { query: { channel: channelId, limit: '1' } }),
    // It is noted that something came before the message is kept.
    refetchInterval: ({ state }) => (state.data?.conversations.length === 0 ? lookMs : false),
  })
  const [first] = data?.conversations ?? []
  return (
    <>
      <p className="connect-listen heard" role="status">
        <Check className="i" />
        <span>
          {first?.last.author === 'contact' && <bdi>{words.said(first.last.text)} </bdi>}
          {first ? words.from(first.name ?? words.somebody) : words.wrote}
        </span>
      </p>
      <div className="row wrap">
        {first ? (
          <Link to="/inbox/$contactId" params={{ contactId: first.contactId }} className={buttonClass('primary')}>
            {words.openInbox}
          </Link>
        ) : (
          <Link to="/inbox" className={buttonClass('primary')}>
            {words.toInbox}
          </Link>
        )}
        <Link to="/channels/$channelId" params={{ channelId }} className={buttonClass()}>
          {words.toChannel}
        </Link>
        <Link to="/campaigns" className={buttonClass('quiet')}>
          {words.teach}
        </Link>
      </div>
    </>
  )
}
