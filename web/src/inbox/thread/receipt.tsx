import type { Message } from '@patchbay/contract/app/messages.ts'
import { Link } from '@tanstack/react-router'
import Bot from 'lucide-react/icons/bot'
import Braces from 'lucide-react/icons/braces'
import Check from 'lucide-react/icons/check'
import Clock from 'lucide-react/icons/clock'
import Megaphone from 'lucide-react/icons/megaphone'
import UserRound from 'lucide-react/icons/user-round'
import { exactTime } from '../../ui/format-time.ts'
import { useStores } from '../data/stores.ts'
import { inboxWords as words } from '../words.ts'
import { WhyButton } from './why-button.tsx'

/** Author, time, delivery. A contact's has only the time: the side says who. */
export function Receipt({ message, isLatestAnswer }: { message: Message; isLatestAnswer: boolean }) {
  if (message.direction === 'incoming') {
    return (
      <div className="receipt">
        <ClockTime at={message.createdAt} />
      </div>
    )
  }
  return (
    <div className="receipt">
      <By message={message} />
      {message.hasAnswer && (
        <span className="dot">
          <WhyButton messageId={message.id} isLatest={isLatestAnswer} />
        </span>
      )}
      <span className="dot">
        <ClockTime at={message.createdAt} />
      </span>
      <State delivery={message.delivery} />
    </div>
  )
}

function By({ message: { author, userId, userName, broadcast } }: { message: Message }) {
  const { me } = useStores()
  if (broadcast) return <OfBroadcast broadcast={broadcast} />
  const Icon = author === 'bot' ? Bot : author === 'api' ? Braces : UserRound
  const person = userId === me.user.id ? words.you : (userName ?? words.person)
  return (
    <span className="receipt-by">
      <Icon className="i" />
      {author === 'bot' ? words.bot : author === 'api' ? words.api : <bdi>{person}</bdi>}
    </span>
  )
}

function OfBroadcast({ broadcast: { id, name } }: { broadcast: NonNullable<Message['broadcast']> }) {
  return (
    <span className="receipt-by">
      <Megaphone className="i" />
      <Link to="/broadcasts/$broadcastId" params={{ broadcastId: id }} title={words.broadcastTitle}>
        <bdi>{name}</bdi>
      </Link>
    </span>
  )
}

/** The state of a delivery. A failed one is explained in the box above it. */
function State({ delivery }: { delivery: Message['delivery'] }) {
  if (delivery?.status === 'Sent') {
    const title = delivery.sentAt ? words.sentAt(exactTime(new Date(delivery.sentAt))) : undefined
    return (
      <span className="dot receipt-delivery" title={title}>
        <Check className="i" />
        {words.sent}
      </span>
    )
  }
  if (delivery?.status !== 'Waiting') return null
  return (
    <span className="dot receipt-delivery">
      <Clock className="i" />
      {words.waitingToLeave}
    </span>
  )
}

function ClockTime({ at }: { at: string }) {
  const date = new Date(at)
  return (
    <time dateTime={at} title={exactTime(date)}>
      {date.toLocaleTimeString(undefined, { timeStyle: 'short' })}
    </time>
  )
}
