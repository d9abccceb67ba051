import type { Channel } from '@patchbay/contract/app/channels.ts'
import Pause from 'lucide-react/icons/pause'
import Play from 'lucide-react/icons/play'
import { Button } from '../../ui/button.tsx'
import { useChannelAct } from '../data/use-channel-act.ts'
import { oneWords as words } from './words.ts'

/** Stops sending, or goes on; nothing in a copy that is held. */
export function PauseButton({ channel: { id, paused, isHeld } }: { channel: Channel }) {
  const { mutate, isPending } = useChannelAct(id)
  if (isHeld) return null
  return paused ? (
    <Button busy={isPending && words.resuming} onClick={() => mutate('resume')}>
      <Play className="i" />
      {words.resume}
    </Button>
  ) : (
    <Button busy={isPending && words.pausing} onClick={() => mutate('pause')}>
      <Pause className="i" />
      {words.pause}
    </Button>
  )
}
