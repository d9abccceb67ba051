import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { SettingsPage } from '../settings/settings-page.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { useNow } from '../ui/use-now.ts'
import { WaitingBlock } from '../ui/waiting.tsx'
import { channelsQuery, useChannelsRefresh } from './data/queries.ts'
import { inNeedFirst } from './parts/state-of.ts'
import { channelWords as words } from './words.ts'

/** Where messages come from, and replies go. */
export function Channels() {
  const found = useQuery(channelsQuery)
  useChannelsRefresh()
  const now = useNow('second')
  return (
    <SettingsPage title={words.channels}>
      <div className="page">
        {found.data ? (
          <ul>
            {inNeedFirst(found.data.channels, now).map(({ id, name }) => (
              <li key={id}>
                <Link to="/channels/$channelId" params={{ channelId: id }}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        ) : found.error ? (
          <ErrorState error={found.error} retry={() => void found.refetch()} />
        ) : (
          <WaitingBlock height={280} />
        )}
      </div>
    </SettingsPage>
  )
}
