import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import type { ProviderKindName } from '@patchbay/contract/channels.ts'
import { providerNames } from '../../../ui/channel.tsx'
import { StepLine } from '../../../ui/step.tsx'
import { Time } from '../../../ui/time.tsx'
import { againOf } from '../../parts/again.ts'
import { CheckAct } from '../../parts/check-act.tsx'
import { Checks } from '../../parts/checks.tsx'
import type { Progress } from '../progress.ts'
import { connectWords as words } from '../words.ts'

type Props = {
  n: number
  isCurrent: boolean
  kind: ProviderKindName
  channel: ChannelInUse | undefined
  progress: Progress
}

/** Done when its messages come to us, and to nobody else. */
export function ReceivingStep({ n, isCurrent, kind, channel, progress }: Props) {
  return (
    <StepLine
      n={n}
      title={words.receiving(providerNames[kind])}
      isDone={progress.receiving}
      isCurrent={isCurrent}
      isBad={progress.failing.receiving !== undefined}
    >
      {channel && <Receiving channel={channel} progress={progress} />}
    </StepLine>
  )
}

/** Whether messages come, and what to do where they do not. */
export function Receiving({ channel, progress }: { channel: ChannelInUse; progress: Progress }) {
  const found = channel.checks.find(({ name }) => name === 'receiving')
  const { receiving: failing } = progress.failing
  if (!failing) return found?.state === 'done' && <p className="muted">{found.sentence}</p>
  return (
    <>
      <Checks
        checks={[failing]}
        act={(check) => <CheckAct channelId={channel.id} check={check} />}
        aside={() => channel.checkedAt && <Time at={channel.checkedAt} as="second" />}
      />
      <p className="small muted">{againOf(channel)}</p>
    </>
  )
}
