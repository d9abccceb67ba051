import Ban from 'lucide-react/icons/ban'
import { Button } from '../../ui/button.tsx'
import { ChannelMark } from '../../ui/channel.tsx'
import { shortDate } from '../../ui/format-time.ts'
import { useNow } from '../../ui/use-now.ts'
import { nameOfWay } from './name-of-way.ts'
import type { Stopped } from './stopped.ts'
import { composeWords as words } from './words.ts'

type Props = Stopped & { name: string; choose: (channelId: string) => void }

/** Says where the eye is before typing that somebody takes nothing more by this way, and offers the others. */
export function StoppedBar({ way, others, name, choose }: Props) {
  const now = useNow('minute')
  const day = shortDate(new Date(way.stopped.at), now)
  const kind = nameOfWay(way)
  return (
    <div className="handler">
      <Ban className="i" />
      <div className="handler-what" role="status">
        <b>
          <bdi>{way.stopped.by === 'word' ? words.wroteStop(name, day) : words.refusedSince(name, kind, day)}</bdi>
        </b>{' '}
        <span>{words.untilStart(kind)}</span> {others.length === 0 && <span>{words.noOtherWay(name)}</span>}
      </div>
      {others.map((other) => (
        <Button key={other.channelId} size="sm" onClick={() => choose(other.channelId)}>
          <span className="row" aria-hidden="true">
            <ChannelMark channel={other.channel} />
          </span>
          {words.by(nameOfWay(other))}
        </Button>
      ))}
    </div>
  )
}
