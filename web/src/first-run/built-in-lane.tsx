import '../channels/connect/connect.css'
import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import { hasProvider, type ProviderKindName, providerKinds } from '@patchbay/contract/channels.ts'
import { HowToMake } from '../channels/connect/connect-steps.tsx'
import { progressOf } from '../channels/connect/progress.ts'
import { Proof } from '../channels/connect/proof.tsx'
import { HowToWrite } from '../channels/connect/steps/message-step.tsx'
import { Receiving } from '../channels/connect/steps/receiving-step.tsx'
import { SecretStep } from '../channels/connect/steps/secret-step.tsx'
import { useConnecting } from '../channels/connect/use-connecting.ts'
import { queryClient } from '../data/queries.ts'
import { StepLine } from '../ui/step.tsx'
import { SaidLine } from './said.tsx'
import { builtInSteps, isBuiltInDone } from './steps.ts'
import { TeachStep } from './teach-step.tsx'
import { firstRunWords as words } from './words.ts'

type Props = { steps: FirstRun; isOwner: boolean; channel: ChannelInUse | undefined }

/** The sender that is connected first, if one is. */
export function useFirstChannel({ builtIn }: FirstRun): ChannelInUse | undefined {
  const { data } = useConnecting(builtIn.channelId ?? undefined)
  return data && hasProvider(data.kind) ? data : undefined
}

export function kindOf(channel: ChannelInUse | undefined): ProviderKindName {
  return channel && hasProvider(channel.kind) ? channel.kind : providerKinds[0]
}

/** From a token to a chat on a phone; nothing is programmed, and no public address is needed. */
export function BuiltInSteps({ steps, isOwner, channel }: Props) {
  const kind = kindOf(channel)
  const progress = progressOf(channel)
  const current = progress.receiving ? builtInSteps.find((step) => !isBuiltInDone(steps, step)) : 'channel'
  const { message, reply } = steps.builtIn
  return (
    <ol className="steps">
      {isOwner ? (
        <SecretStep
          n={1}
          isCurrent={current === 'channel'}
          {...{ kind, channel, progress }}
          before={<HowToMake kind={kind} />}
          after={channel && progress.failing.receiving && <Receiving channel={channel} progress={progress} />}
          onConnected={() => queryClient.invalidateQueries({ queryKey: ['GET /api/first-run'] })}
        />
      ) : (
        <StepLine
          n={1}
          title={progress.secret ? words.channelDone : words.channel}
          isDone={progress.secret}
          isCurrent={current === 'channel'}
        >
          {!progress.secret && <p className="muted">{words.ownerOnly}</p>}
        </StepLine>
      )}
      <StepLine
        n={2}
        title={message ? words.messageDone : words.writeToIt}
        at={message?.at}
        isDone={message !== null}
        isCurrent={current === 'message'}
      >
        {message ? (
          <SaidLine said={message} direction="from" />
        ) : (
          channel && progress.receiving && <HowToWrite kind={kind} address={channel.address} />
        )}
      </StepLine>
      <TeachStep steps={steps} isOwner={isOwner} n={3} isCurrent={current === 'teach'} />
      <StepLine
        n={4}
        title={reply ? words.replyDone : words.reply}
        at={reply?.at}
        isDone={reply !== null}
        isCurrent={current === 'reply'}
      >
        {reply ? <SaidLine said={reply} direction="to" /> : <p className="muted">{words.askOnPhone}</p>}
      </StepLine>
    </ol>
  )
}

/** The cable from the provider to us, and the calls that were really made. */
export function BuiltInProof({ channel }: { channel: ChannelInUse | undefined }) {
  return <Proof kind={kindOf(channel)} channel={channel} progress={progressOf(channel)} />
}
