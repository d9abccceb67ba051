import type { ThreadEvent } from '@patchbay/contract/app/messages.ts'
import { Link } from '@tanstack/react-router'
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

/** `kind`: what the channel is called that they have ended, or taken again, by a word. */
type EventProps = { event: ThreadEvent; contact: string; kind: string | undefined }

/** Something that happened and is no message. */
export function Event({ event, contact, kind }: EventProps) {
  const { me } = useStores()
  const date = new Date(event.at)
  const nameOf = (id: string | null, name: string | null, you: string) =>
    id !== null && id === me.user.id ? you : (name ?? words.someone)
  const who = nameOf(event.userId, event.userName, words.you)
  const to = nameOf(event.toUserId, event.toUserName, teamWords.youLower)
  const until = event.until === null ? '' : formatTime(new Date(event.until))
  const ofTeam = event.kind === 'blocked' || event.kind === 'unblocked' ? words.byTeam[event.kind] : undefined
  const isByTeam = ofTeam !== undefined && event.userId !== null
  const ofWord = event.kind === 'blocked' || event.kind === 'unblocked' ? words.byWord[event.kind] : undefined
  const says = isByTeam
    ? ofTeam(who, contact)
    : ofWord && kind !== undefined
      ? ofWord(contact, kind)
      : words.events[event.kind](who, contact, to, until)
  return (
    <div className="event" data-anchor="">
      <span>
        <b>
          <bdi>{says}</bdi>
        </b>
        {event.other && <SameBrowser other={event.other} />} ·{' '}
        <time dateTime={event.at} title={exactTime(date)}>
          {date.toLocaleTimeString(undefined, { timeStyle: 'short' })}
        </time>
      </span>
    </div>
  )
}

/** Who wrote in the same browser before they signed in, or has since. The two are two contacts, and stay so. */
function SameBrowser({ other: { contactId, name } }: { other: NonNullable<ThreadEvent['other']> }) {
  return (
    <>
      , {words.sameBrowser}{' '}
      <Link to="/inbox/$contactId" params={{ contactId }} search={true}>
        <bdi>{name ?? words.noName}</bdi>
      </Link>
    </>
  )
}

/** A visitor of a website writes at this moment. */
export function ContactTyping({ name }: { name: string }) {
  return (
    <div className="bubble rises">
      <Dots />
      <div className="receipt">
        <span className="receipt-by">{words.isWriting(name)}</span>
      </div>
    </div>
  )
}

function Dots() {
  return (
    <div className="bubble-box typing" aria-hidden="true">
      <i />
      <i />
      <i />
    </div>
  )
}

export function BotTyping() {
  return (
    <div className="bubble out bot rises">
      <Dots />
      <div className="receipt">
        <span className="receipt-by">
          <Bot className="i" />
          {words.botIsWriting}
        </span>
      </div>
    </div>
  )
}
