import './connect.css'
import type { ChannelKind } from '@patchbay/contract/channels.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import Info from 'lucide-react/icons/info'
import { useMay } from '../../data/use-may.ts'
import { SettingsPage } from '../../settings/settings-page.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Note } from '../../ui/note.tsx'
import { WaitingBlock } from '../../ui/waiting.tsx'
import { channelWords } from '../words.ts'
import { ConnectSteps } from './connect-steps.tsx'
import { KindCards } from './kind-cards.tsx'
import { useConnecting } from './use-connecting.ts'
import { connectWords as words } from './words.ts'

/** First message within minutes. */
export function Connect() {
  const { kind, channel } = useSearch({ from: '/shell/channels/new' })
  const { ownAtHome } = useMay()
  return (
    <SettingsPage
      title={words.title}
      crumb={<Link to="/channels">{channelWords.channels}</Link>}
      head={(kind ?? channel) && <span className="small faint end only-wide">{words.kept}</span>}
    >
      {!ownAtHome ? (
        <div className="page narrow">
          <Note icon={Info}>{channelWords.ownerOnly}</Note>
        </div>
      ) : channel !== undefined ? (
        <Begun channelId={channel} />
      ) : kind ? (
        <Fresh kind={kind} />
      ) : (
        <div className="page">
          <div className="stack">
            <h2 className="h-section">{words.which}</h2>
            <p className="muted">{words.whichSays}</p>
          </div>
          <KindCards />
        </div>
      )}
    </SettingsPage>
  )
}

function Fresh({ kind }: { kind: ChannelKind }) {
  const navigate = useNavigate()
  const onConnected = (channel: string) => navigate({ to: '/channels/new', search: { channel }, replace: true })
  return <ConnectSteps kind={kind} channel={undefined} onConnected={onConnected} />
}

/** It is saved: what is shown is what came of it. */
function Begun({ channelId }: { channelId: string }) {
  const found = useConnecting(channelId)
  if (found.data) return <ConnectSteps kind={found.data.kind} channel={found.data} onConnected={() => undefined} />
  if (found.error) return <ErrorState error={found.error} retry={() => void found.refetch()} />
  return <WaitingBlock height={420} />
}
