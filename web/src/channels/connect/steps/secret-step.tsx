import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import type { ProviderKindName } from '@patchbay/contract/channels.ts'
import { type ReactNode, useState } from 'react'
import { call } from '../../../data/api.ts'
import { queryClient } from '../../../data/queries.ts'
import { KindMark } from '../../../ui/channel.tsx'
import { StepLine } from '../../../ui/step.tsx'
import { channelQuery, refreshChannels } from '../../data/queries.ts'
import { Checks } from '../../parts/checks.tsx'
import { CredentialsForm } from '../../parts/credentials-form.tsx'
import { SavedSecret } from '../../parts/secret.tsx'
import { secretLabelOf, senderWords } from '../kind-words.ts'
import type { Progress } from '../progress.ts'
import { connectWords as words } from '../words.ts'

type Props = {
  n: number
  isCurrent: boolean
  kind: ProviderKindName
  channel: ChannelInUse | undefined
  progress: Progress
  /** What is said before it is asked for, and what is found after. */
  before?: ReactNode
  after?: ReactNode
  /** It is connected, and known by its id from now on. */
  onConnected: (channelId: string) => unknown
}

/** Done when the provider knows the secret. Until then nothing is kept. */
export function SecretStep({ n, isCurrent, kind, channel, progress, before, after, onConnected }: Props) {
  const [isReplacing, setReplacing] = useState(false)
  const [isRefused, setRefused] = useState(false)
  const own = senderWords[kind]
  const asks = channel === undefined || isReplacing || progress.failing.secret
  return (
    <StepLine
      n={n}
      title={progress.secret ? own.secretDone : before ? own.makeAndSecret : own.secret}
      isDone={progress.secret}
      isCurrent={isCurrent}
      isBad={isRefused || progress.failing.secret !== undefined}
    >
      {!progress.secret && before}
      {progress.failing.secret && <Checks checks={[progress.failing.secret]} />}
      {asks ? (
        <CredentialsForm
          fields={own.fields.filter(({ isFixed }) => !(channel && isFixed))}
          optional={own.optional}
          act={words.connect}
          acting={words.connecting}
          hint={words.secretHint}
          refusedHint={words.nothingKept}
          focused={isReplacing}
          send={(given) => (channel ? replace(channel, given) : connect(kind, given))}
          onRefused={() => setRefused(true)}
          onSaved={async (channelId) => {
            setRefused(false)
            setReplacing(false)
            await Promise.all([refreshChannels(), queryClient.fetchQuery(channelQuery(channelId))])
            return onConnected(channelId)
          }}
          {...(isReplacing && { onCancel: () => setReplacing(false) })}
        />
      ) : (
        <SavedSecret label={secretLabelOf(kind)} onReplace={() => setReplacing(true)} />
      )}
      {channel && progress.secret && <Found channel={channel} />}
      {after}
    </StepLine>
  )
}

async function connect(kind: ProviderKindName, credentials: Record<string, string>): Promise<string> {
  return (await call('POST /api/channels', { body: { kind, credentials } })).id
}

async function replace({ id, version }: ChannelInUse, credentials: Record<string, string>): Promise<string> {
  const body = { credentials, version }
  return (await call('PATCH /api/channels/:channelId', { params: { channelId: id }, body })).id
}

/** Who answered to the secret. */
function Found({ channel: { kind, name, address, use } }: { channel: ChannelInUse }) {
  return (
    <div className="connect-found">
      <KindMark kind={kind} colour={use.colour} />
      <b className="strong">
        <bdi>{name}</bdi>
      </b>
      <bdi className="muted mono">{address}</bdi>
    </div>
  )
}
