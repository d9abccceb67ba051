import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import { Link } from '@tanstack/react-router'
import { providerNames } from '../../ui/channel.tsx'
import { countdown } from '../../ui/countdown.ts'
import { Time } from '../../ui/time.tsx'
import { useNow } from '../../ui/use-now.ts'
import { useChannelAct } from '../data/use-channel-act.ts'
import type { ShownState } from '../parts/state-of.ts'
import { tableWords as words } from './words.ts'

type Props = { channel: ChannelInUse; state: ShownState; isOwner: boolean }

/** What is to be known of a channel in its state, in a line. */
export function RowNote({ channel, state, isOwner }: Props) {
  const { id, kind, checks, paused, receivingBy, use, chat } = channel
  if (state === 'attention') return null
  if (state === 'held') return words.heldSays
  if (state === 'connecting') {
    return (
      <>
        {words.green(checks.filter((check) => check.state === 'done').length, checks.length)}{' '}
        {isOwner && (
          <Link to="/channels/new" search={{ channel: id }} className="in">
            {words.goOn}
          </Link>
        )}
      </>
    )
  }
  if (state === 'paused') {
    const says = chat ? words.chatPausedSays : words.pausedSays(use.waiting)
    return (
      <>
        {words.pausedBy(paused?.by ?? null)} {paused && <Time at={paused.at} as="clock" />}. {says}{' '}
        {isOwner && <Resume channelId={id} />}
      </>
    )
  }
  if (state === 'slowed' && use.slowedUntil) return <Slowed kind={providerNames[kind]} until={use.slowedUntil} />
  if (state === 'silent' && use.silentSince) {
    return (
      <>
        {words.silent(providerNames[kind])} <Time at={use.silentSince} as="clock" />. {words.silentSays}
      </>
    )
  }
  if (chat) return <SeenOn seen={chat.seen} />
  const how = receivingBy === 'poll' ? words.fetches : words.calls(providerNames[kind])
  return use.waiting === 0 ? how : `${how} ${words.inLine(use.waiting)}`
}

function Resume({ channelId }: { channelId: string }) {
  const { mutate, isPending } = useChannelAct(channelId)
  return (
    <button type="button" className="link" disabled={isPending} onClick={() => mutate('resume')}>
      {words.resume}
    </button>
  )
}

function Slowed({ kind, until }: { kind: string; until: string }) {
  const now = useNow('second')
  return (
    <>
      {words.slowed(kind)} <span className="mono">{countdown(Date.parse(until) - now.getTime())}</span>.
    </>
  )
}

function SeenOn({ seen }: { seen: NonNullable<ChannelInUse['chat']>['seen'] }) {
  if (!seen) return words.chatNotSeen
  return (
    <>
      <bdi>{words.chatSeen(seen.host)}</bdi> <Time at={seen.at} />.
    </>
  )
}
