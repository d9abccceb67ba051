import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import Ban from 'lucide-react/icons/ban'
import { clockTime, exactTime } from '../../ui/format-time.ts'
import { Tag } from '../../ui/tag.tsx'
import { useNow } from '../../ui/use-now.ts'
import { nameOfWay } from '../compose/name-of-way.ts'
import { isStopped, type StoppedWay } from '../compose/stopped.ts'
import { shortName } from '../names.ts'
import { inboxWords as words } from '../words.ts'

/** What the contact has ended by a word, who said so, and what ends that. */
export function StoppedSection({ detail }: { detail: ConversationDetail }) {
  const stopped = detail.replyBy.ways.filter(isStopped)
  if (stopped.length === 0) return null
  const name = shortName(detail) || words.noName
  return (
    <section className="panel-sec">
      <h3>{words.mayBeWrittenTo}</h3>
      {stopped.map((way) => (
        <Stopped key={way.channelId} way={way} name={name} />
      ))}
    </section>
  )
}

function Stopped({ way, name }: { way: StoppedWay; name: string }) {
  const now = useNow('minute')
  const at = new Date(way.stopped.at)
  const shown = clockTime(at, now)
  return (
    <>
      <div className="row between">
        <span>{words.allBy(nameOfWay(way))}</span>
        <Tag title={exactTime(at)}>
          <Ban className="i" />
          {words.stopped}
        </Tag>
      </div>
      <p className="small muted">
        {way.stopped.by === 'word' ? words.stoppedByWord(name, shown) : words.stoppedByProvider(shown)}
      </p>
    </>
  )
}
