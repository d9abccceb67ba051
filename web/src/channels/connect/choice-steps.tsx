import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import type { ProviderKindName } from '@patchbay/contract/channels.ts'
import { useQuery } from '@tanstack/react-query'
import Info from 'lucide-react/icons/info'
import { useState } from 'react'
import { Note } from '../../ui/note.tsx'
import { channelsQuery } from '../data/queries.ts'
import { senderWords } from './kind-words.ts'
import { progressOf } from './progress.ts'
import type { Asked } from './proof.tsx'
import { AccountStep } from './steps/account-step.tsx'
import { ChoiceStep } from './steps/choice-step.tsx'
import { MessageStep } from './steps/message-step.tsx'
import { SecretStep } from './steps/secret-step.tsx'
import { SenderStep } from './steps/sender-step.tsx'

type Props = {
  kind: ProviderKindName
  channel: ChannelInUse | undefined
  onConnected: (channelId: string) => unknown
  asked: Asked | undefined
  setAsked: (asked: Asked | undefined) => void
}

/** Of an account that has several senders: its credentials, one of the senders, the first message. */
export function ChoiceSteps({ kind, channel, onConnected, asked, setAsked }: Props) {
  const [given, setGiven] = useState<Record<string, string>>({})
  const { data } = useQuery(channelsQuery)
  const progress = progressOf(channel)
  const shared = { kind, progress }
  const { choice } = senderWords[kind]
  if (!channel && data?.unreachable.includes(kind)) return <Note icon={Info}>{choice?.noAddress}</Note>
  if (channel) {
    const current = (['secret', 'receiving', 'message'] as const).find((step) => !progress[step])
    return (
      <ol className="steps">
        <SecretStep n={1} isCurrent={current === 'secret'} {...shared} channel={channel} onConnected={onConnected} />
        <SenderStep n={2} isCurrent={current === 'receiving'} {...shared} channel={channel} />
        <MessageStep n={3} isCurrent={current === 'message'} {...shared} channel={channel} />
      </ol>
    )
  }
  return (
    <ol className="steps">
      <AccountStep
        n={1}
        kind={kind}
        asked={asked}
        onAsked={(found, credentials) => {
          setAsked(found)
          setGiven(credentials)
        }}
        onChange={() => setAsked(undefined)}
      />
      <ChoiceStep n={2} kind={kind} asked={asked} given={given} onConnected={onConnected} />
      <MessageStep n={3} isCurrent={false} {...shared} channel={undefined} />
    </ol>
  )
}
