import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import type { ProviderKindName } from '@patchbay/contract/channels.ts'
import { StepLine } from '../../../ui/step.tsx'
import { CheckAct } from '../../parts/check-act.tsx'
import { Checks } from '../../parts/checks.tsx'
import { senderWords } from '../kind-words.ts'
import type { Progress } from '../progress.ts'
import { Receiving } from './receiving-step.tsx'

type Props = {
  n: number
  isCurrent: boolean
  kind: ProviderKindName
  channel: ChannelInUse
  progress: Progress
}

/** Done when what is written to the sender comes to us. */
export function SenderStep({ n, isCurrent, kind, channel, progress }: Props) {
  const { sender, receiving } = progress.failing
  const isBad = sender !== undefined || receiving !== undefined
  const about = channel.checks.find(({ name, state }) => name === 'account' && state === 'waits')
  return (
    <StepLine
      n={n}
      title={senderWords[kind].choice?.sender ?? ''}
      isDone={progress.receiving}
      isCurrent={isCurrent}
      isBad={isBad}
    >
      {sender && <Checks checks={[sender]} act={(check) => <CheckAct channelId={channel.id} check={check} />} />}
      {!sender && <Receiving channel={channel} progress={progress} />}
      {about && <p className="small muted">{about.sentence}</p>}
    </StepLine>
  )
}
