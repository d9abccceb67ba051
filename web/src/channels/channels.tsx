import './channels.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Info from 'lucide-react/icons/info'
import Plus from 'lucide-react/icons/plus'
import { useMay } from '../data/use-may.ts'
import { SettingsPage } from '../settings/settings-page.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { Note } from '../ui/note.tsx'
import { WaitingLines } from '../ui/waiting.tsx'
import { KindCards } from './connect/kind-cards.tsx'
import { channelsQuery, useChannelsRefresh } from './data/queries.ts'
import { ChannelTable } from './table/channel-table.tsx'
import { tableWords as words } from './table/words.ts'
import { channelWords } from './words.ts'

/** Is everything plugged in? A table of all channels, those in need first. */
export function Channels() {
  const found = useQuery(channelsQuery)
  useChannelsRefresh()
  const { ownAtHome } = useMay()
  const { channels, custom = null } = found.data ?? {}
  const hasNone = channels?.length === 0 && !custom
  const add = ownAtHome && !hasNone && (
    <Link to="/channels/new" className={buttonClass('primary')}>
      <Plus className="i" />
      {words.add}
    </Link>
  )
  return (
    <SettingsPage title={channelWords.channels} sub={words.says} head={<div className="row end">{add}</div>}>
      {found.data && !ownAtHome && (
        <div className="channels-note">
          <Note icon={Info}>{channelWords.ownerOnly}</Note>
        </div>
      )}
      {hasNone ? (
        <None isOwner={ownAtHome} />
      ) : channels ? (
        <>
          <ChannelTable channels={channels} custom={custom} isOwner={ownAtHome} />
          <p className="bar small muted">
            <span>
              {words.nothingLost} <Link to="/settings/alerts">{words.alerts}</Link> {words.alertsSay}
            </span>
          </p>
        </>
      ) : found.error ? (
        <ErrorState error={found.error} retry={() => void found.refetch()} />
      ) : (
        <WaitingLines widths={[60, 100, 100, 100]} height={40} />
      )}
    </SettingsPage>
  )
}

function None({ isOwner }: { isOwner: boolean }) {
  if (!isOwner) return <Empty art title={words.noneForMembers} />
  return (
    <div className="page">
      <div className="stack">
        <h2 className="h-section">{words.none}</h2>
        <p className="muted">{words.noneSays}</p>
      </div>
      <KindCards />
    </div>
  )
}
