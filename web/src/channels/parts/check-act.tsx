import type { ChannelCheck } from '@patchbay/contract/app/channels.ts'
import { Button } from '../../ui/button.tsx'
import { useChannelAct } from '../data/use-channel-act.ts'
import { channelWords as words } from '../words.ts'

/** For owners: take over what reports to another tool, else look again. */
export function CheckAct({ channelId, check }: { channelId: string; check: ChannelCheck }) {
  const { mutate, isPending } = useChannelAct(channelId)
  if (check.reportsTo === undefined) {
    return (
      <Button size="sm" busy={isPending && words.checking} onClick={() => mutate('check')}>
        {words.checkNow}
      </Button>
    )
  }
  return (
    <Button size="sm" busy={isPending && words.takingOver} onClick={() => mutate('take over')}>
      {words.takeOver}
    </Button>
  )
}
