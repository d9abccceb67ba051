import './one.css'
import '../../ui/surface.css'
import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import { hasProvider } from '@patchbay/contract/channels.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useRouterState } from '@tanstack/react-router'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../data/api.ts'
import { queryClient } from '../../data/queries.ts'
import { useMay } from '../../data/use-may.ts'
import { SettingsPage } from '../../settings/settings-page.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ChannelMark, providerNames } from '../../ui/channel.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { useNow } from '../../ui/use-now.ts'
import { WaitingBlock } from '../../ui/waiting.tsx'
import { isPageChat } from '../data/chat-of.ts'
import { channelQuery, refreshChannels, useChannelsRefresh } from '../data/queries.ts'
import { useChannelAct } from '../data/use-channel-act.ts'
import { stateOf } from '../parts/state-of.ts'
import { StateTag } from '../parts/state-tag.tsx'
import { channelWords } from '../words.ts'
import { ChatAbout } from './chat/chat-about.tsx'
import { ChatToday } from './chat/chat-today.tsx'
import { Checked } from './checked.tsx'
import { Connection } from './connection.tsx'
import { Credentials } from './credentials.tsx'
import { Disconnected } from './disconnected.tsx'
import { End } from './end.tsx'
import { Limits } from './limits.tsx'
import { MessageLog } from './log/message-log.tsx'
import { PauseButton } from './pause-button.tsx'
import { Price } from './price.tsx'
import { NotUnderstood } from './raw/not-understood.tsx'
import { Sender } from './sender.tsx'
import { SettingsForm } from './settings-form.tsx'
import { oneWords as words } from './words.ts'

const route = getRouteApi('/shell/channels/$channelId')

/** One channel: what is wrong, is anything lost, what can be done. */
export function ChannelPage() {
  const { channelId } = route.useParams()
  return <OneChannel key={channelId} channelId={channelId} />
}

type Removed = { channel: ChannelInUse; left: string | null }

function OneChannel({ channelId }: { channelId: string }) {
  const [removed, setRemoved] = useState<Removed>()
  const found = useQuery({ ...channelQuery(channelId), enabled: removed === undefined })
  useChannelsRefresh()
  const { ownAtHome } = useMay()
  if (removed) {
    const { channel, left } = removed
    return (
      <Frame title={channel.name}>
        <Disconnected name={channel.name} kind={channel.kind} left={left} />
      </Frame>
    )
  }
  const isGone = found.error instanceof ApiError && found.error.status === 404
  if (found.data && !isGone) {
    const channel = found.data
    const onRemoved = (left: string | null) => {
      setRemoved({ channel, left })
      // Else whoever comes back to it would see it as it was.
      queryClient.removeQueries({ queryKey: channelQuery(channelId).queryKey })
      void refreshChannels()
    }
    return <Details channel={channel} mayChange={ownAtHome} onRemoved={onRemoved} />
  }
  return (
    <Frame title={channelWords.channels}>
      {isGone ? (
        <Empty title={words.gone} says={words.goneSays}>
          <Link to="/channels" className={buttonClass()}>
            {words.toChannels}
          </Link>
        </Empty>
      ) : found.error ? (
        <ErrorState error={found.error} retry={() => void found.refetch()} />
      ) : (
        <WaitingBlock height={280} />
      )}
    </Frame>
  )
}

type FrameProps = { title: string; mark?: ReactNode; sub?: ReactNode; head?: ReactNode; children: ReactNode }

function Frame({ children, ...about }: FrameProps) {
  return (
    <SettingsPage {...about} crumb={<Link to="/channels">{channelWords.channels}</Link>}>
      <div className="page one-channel">{children}</div>
    </SettingsPage>
  )
}

type DetailsProps = { channel: ChannelInUse; mayChange: boolean; onRemoved: (left: string | null) => void }

function Details({ channel, mayChange, onRemoved }: DetailsProps) {
  const { id, name, kind, use } = channel
  const provider = providerNames[kind]
  // The table leads here when a token is missing.
  const isTokenAsked = useRouterState({ select: ({ location }) => location.hash === 'credentials' })
  const [isTokenOpen, setTokenOpen] = useState(isTokenAsked)
  const now = useNow('second')
  return (
    <Frame
      title={name}
      mark={
        <span className="one-channel-mark">
          <ChannelMark channel={{ label: id, name, kind, colour: use.colour }} />
        </span>
      }
      sub={<StateTag state={stateOf(channel, now)} />}
      head={mayChange && <HeadActs channel={channel} />}
    >
      <Connection channel={channel} mayChange={mayChange} onEnterToken={() => setTokenOpen(true)} />
      {!mayChange && <p className="muted">{channelWords.ownerOnly}</p>}
      <Checked channel={channel} mayChange={mayChange} />
      {isPageChat(channel) ? (
        <>
          <ChatToday channel={channel} />
          <Price channel={channel} />
          <MessageLog channelId={id} kind={provider} />
          <ChatAbout channel={channel} />
        </>
      ) : (
        <>
          <div className="one-channel-two">
            {mayChange && hasProvider(kind) && (
              <Credentials channel={channel} kind={kind} isOpen={isTokenOpen} setOpen={setTokenOpen} />
            )}
            <Sender channel={channel} />
          </div>
          {hasProvider(kind) && <Limits channel={channel} kind={kind} />}
          <Price channel={channel} />
          <MessageLog channelId={id} kind={provider} />
          <NotUnderstood channelId={id} isOwner={mayChange} />
          {hasProvider(kind) && <SettingsForm channel={channel} kind={kind} mayChange={mayChange} />}
        </>
      )}
      {mayChange && <End channel={channel} onRemoved={onRemoved} />}
    </Frame>
  )
}

function HeadActs({ channel }: { channel: ChannelInUse }) {
  const { mutate, isPending } = useChannelAct(channel.id)
  return (
    <div className="row end wrap">
      {!channel.isHeld && (
        <Button busy={isPending && channelWords.checking} onClick={() => mutate('check')}>
          <RefreshCw className="i" />
          {channelWords.checkNow}
        </Button>
      )}
      <PauseButton channel={channel} />
    </div>
  )
}
