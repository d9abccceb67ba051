import './website-chat.css'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { isPageChat, type PageChat } from '../../channels/data/chat-of.ts'
import { channelsQuery, useChannelsRefresh } from '../../channels/data/queries.ts'
import { stateOf } from '../../channels/parts/state-of.ts'
import { StateTag } from '../../channels/parts/state-tag.tsx'
import { useMay } from '../../data/use-may.ts'
import { buttonClass } from '../../ui/button.tsx'
import { KindMark } from '../../ui/channel.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { useNow } from '../../ui/use-now.ts'
import { WaitingBlock } from '../../ui/waiting.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { ChatSettings } from './chat-settings.tsx'
import { FirstChat } from './first-chat.tsx'
import { chatWords as words } from './words.ts'

const route = getRouteApi('/shell/settings/website-chat')

/** The chat on a shop's page: its line, what it looks like, and what it does. */
export function WebsiteChat() {
  const { channel: wanted } = route.useSearch()
  const found = useQuery(channelsQuery)
  useChannelsRefresh()
  const { ownAtHome } = useMay()
  const chats = found.data?.channels.filter(isPageChat)
  const channel = chats?.find(({ id }) => id === wanted) ?? chats?.[0]
  if (channel && chats) return <OneChat key={channel.id} {...{ channel, chats }} mayChange={ownAtHome} />
  return (
    <SettingsPage title={words.title}>
      {found.data ? (
        <FirstChat mayMake={ownAtHome} />
      ) : found.error ? (
        <ErrorState error={found.error} retry={() => void found.refetch()} />
      ) : (
        <WaitingBlock height={420} />
      )}
    </SettingsPage>
  )
}

type Props = { channel: PageChat; chats: readonly PageChat[]; mayChange: boolean }

function OneChat({ channel, chats, mayChange }: Props) {
  const now = useNow('minute')
  const { seen } = channel.chat
  const state = stateOf(channel, now)
  return (
    <SettingsPage
      title={words.title}
      mark={
        <span className="chat-set-mark">
          <KindMark kind={channel.kind} colour={channel.use.colour} />
        </span>
      }
      sub={
        <span className="row wrap">
          <StateTag state={state} />
          {state === 'working' && seen && <bdi>{words.worksOn(seen.host)}</bdi>}
        </span>
      }
      head={
        <div className="row end wrap">
          {chats.length > 1 && <Which channel={channel} chats={chats} />}
          <Link to="/channels/$channelId" params={{ channelId: channel.id }} className={buttonClass()}>
            {words.itsChannel}
          </Link>
        </div>
      }
    >
      <ChatSettings channel={channel} mayChange={mayChange} />
    </SettingsPage>
  )
}

/** Which of several. */
function Which({ channel, chats }: Omit<Props, 'mayChange'>) {
  const navigate = useNavigate()
  return (
    <select
      className="select chat-set-which"
      aria-label={words.which}
      value={channel.id}
      onChange={({ target }) => void navigate({ to: '/settings/website-chat', search: { channel: target.value } })}
    >
      {chats.map(({ id, name, chat }) => (
        <option value={id} key={id}>
          {name} · {chat.settings.pages[0]}
        </option>
      ))}
    </select>
  )
}
