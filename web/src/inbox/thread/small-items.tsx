import type { ThreadEvent } from '@patchbay/contract/app/messages.ts'
import Bot from 'lucide-react/icons/bot'
import { exactTime } from '../../ui/format-time.ts'
import { useNow } from '../../ui/use-now.ts'
import { useStores } from '../data/stores.ts'
import { formatTime } from '../team/snooze-times.ts'
import { teamWords } from '../team/words.ts'
import { inboxWords as words } from '../words.ts'
import { formatDay } from './format-day.ts'

export function Day({ at }: { at: string }) {
  const now = useNow('minute')
  return <div className="day">{formatDay(new Date(at), now)}</div>
}

/** Something that happened and is no message. */
export function Event({ event, contact }: { event: ThreadEvent; contact: string }) {
  const { me } = useStores()
  const date = new Date(event.at)
  const nameOf = (id: string | null, name: string | null, you: string) =>
    id !== null && id === me.user.id ? you : (name ?? words.someone)
  const who = nameOf(event.userId, event.userName, words.you)
  const to = nameOf(event.toUserId, event.toUserName, teamWords.youLower)
  const until = event.until === null ? '' : formatTime(new Date(event.until))
  return (
    <div className="event" data-anchor="">
      <span>
        <b>
          <bdi>{words.events[event.kind](who, contact, to, until)}</bdi>
        </b>{' '}
        ·{' '}
        <time dateTime={event.at} title={exactTime(date)}>
          {date.toLocaleTimeString(undefined, { timeStyle: 'short' })}
        </time>
      </span>
    </div>
  )
}

export function BotTyping() {
  return (
    <div className="bubble out bot rises">
      <div className="bubble-box typing" aria-hidden="true">
        <i />
        <i />
        <i />
      </div>
      <div className="receipt">
        <span className="receipt-by">
          <Bot className="i" />
          {words.botIsWriting}
        </span>
      </div>
    </div>
  )
}
