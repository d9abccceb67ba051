import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { useMay } from '../../data/use-may.ts'
import { SettingsPage } from '../../settings/settings-page.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { useNow } from '../../ui/use-now.ts'
import { WaitingBlock } from '../../ui/waiting.tsx'
import { channelQuery, refreshChannels, useChannelsRefresh } from '../data/queries.ts'
import { CheckAct } from '../parts/check-act.tsx'
import { Checks } from '../parts/checks.tsx'
import { SavedSecret, SecretForm } from '../parts/secret.tsx'
import { stateOf } from '../parts/state-of.ts'
import { StateTag } from '../parts/state-tag.tsx'
import { channelWords as words } from '../words.ts'

/** One channel: what is wrong, is anything lost, what can be done. */
export function ChannelPage() {
  const { channelId } = useParams({ from: '/shell/channels/$channelId' })
  const found = useQuery(channelQuery(channelId))
  useChannelsRefresh()
  const now = useNow('minute')
  const { ownAtHome } = useMay()
  const channel = found.data
  return (
    <SettingsPage title={channel?.name ?? words.channels} head={channel && <StateTag state={stateOf(channel, now)} />}>
      <div className="page narrow">
        {channel ? (
          <>
            <Checks
              checks={channel.checks}
              {...(ownAtHome && { act: (check) => <CheckAct channelId={channel.id} check={check} /> })}
            />
            {ownAtHome && <Credentials channel={channel} />}
          </>
        ) : found.error ? (
          <ErrorState error={found.error} retry={() => void found.refetch()} />
        ) : (
          <WaitingBlock height={280} />
        )}
      </div>
    </SettingsPage>
  )
}

function Credentials({ channel: { id, version } }: { channel: ChannelInUse }) {
  const [isOpen, setOpen] = useState(false)
  if (!isOpen) return <SavedSecret label={words.token} onReplace={() => setOpen(true)} />
  return (
    <SecretForm
      label={words.token}
      missing={words.tokenMissing}
      act={words.check}
      acting={words.checking}
      focused
      send={(token) =>
        call('PATCH /api/channels/:channelId', {
          params: { channelId: id },
          body: { credentials: { token }, version },
        })
      }
      onSaved={() => {
        setOpen(false)
        return refreshChannels()
      }}
      onCancel={() => setOpen(false)}
    />
  )
}
