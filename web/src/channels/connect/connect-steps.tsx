import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import { type ChannelKind, hasProvider, type ProviderKindName } from '@patchbay/contract/channels.ts'
import { useState } from 'react'
import { KindMark, kindNames } from '../../ui/channel.tsx'
import { StepLine } from '../../ui/step.tsx'
import { ChatProof } from './chat/chat-proof.tsx'
import { ChatSteps } from './chat/chat-steps.tsx'
import { ChoiceSteps } from './choice-steps.tsx'
import { kindWords, senderWords } from './kind-words.ts'
import { progressOf } from './progress.ts'
import { type Asked, Proof } from './proof.tsx'
import { MessageStep } from './steps/message-step.tsx'
import { ReceivingStep } from './steps/receiving-step.tsx'
import { SecretStep } from './steps/secret-step.tsx'
import { connectWords as words } from './words.ts'

type Props<Kind = ChannelKind> = {
  kind: Kind
  /** Undefined: nothing is saved yet. */
  channel: ChannelInUse | undefined
  onConnected: (channelId: string) => unknown
}

/** Steps on the left, proof on the right. A step is done by a real call, never by a click. */
export function ConnectSteps({ kind, channel, onConnected }: Props) {
  const [asked, setAsked] = useState<Asked>()
  return (
    <div className="connect">
      <div className="stack stack-6">
        <div className="stack">
          <h2 className="connect-kind">
            <KindMark kind={kind} colour={8} />
            {kindNames[kind]}
          </h2>
          <p className="muted">{kindWords[kind].says}</p>
        </div>
        {hasProvider(kind) && senderWords[kind].choice ? (
          <ChoiceSteps {...{ kind, channel, onConnected, asked, setAsked }} />
        ) : hasProvider(kind) ? (
          <SenderSteps {...{ kind, channel, onConnected }} />
        ) : (
          <ChatSteps {...{ channel, onConnected }} />
        )}
      </div>
      <aside aria-label={words.happens}>
        {hasProvider(kind) ? (
          <Proof {...{ kind, channel, asked }} progress={progressOf(channel)} />
        ) : (
          <ChatProof channel={channel} />
        )}
      </aside>
    </div>
  )
}

/** From a secret of the provider's to the first message. */
function SenderSteps({ kind, channel, onConnected }: Props<ProviderKindName>) {
  const progress = progressOf(channel)
  const current = (['secret', 'receiving', 'message'] as const).find((step) => !progress[step])
  const shared = { kind, channel, progress }
  return (
    <ol className="steps">
      <StepLine n={1} title={senderWords[kind].make} isDone={progress.secret} isCurrent={false}>
        <HowToMake kind={kind} />
      </StepLine>
      <SecretStep n={2} isCurrent={current === 'secret'} {...shared} onConnected={onConnected} />
      <ReceivingStep n={3} isCurrent={current === 'receiving'} {...shared} />
      <MessageStep n={4} isCurrent={current === 'message'} {...shared} />
    </ol>
  )
}

/** What the owner does at the provider first. */
export function HowToMake({ kind }: { kind: ProviderKindName }) {
  return (
    <p className="muted">
      {senderWords[kind].makeSteps.map((part) =>
        typeof part === 'string' ? (
          part
        ) : (
          <span className="mono" key={part.mono}>
            {part.mono}
          </span>
        ),
      )}
    </p>
  )
}
