import type { Message } from '@patchbay/contract/app/messages.ts'
import { Link } from '@tanstack/react-router'
import Bot from 'lucide-react/icons/bot'
import Braces from 'lucide-react/icons/braces'
import Check from 'lucide-react/icons/check'
import CheckCheck from 'lucide-react/icons/check-check'
import CircleQuestionMark from 'lucide-react/icons/circle-question-mark'
import Clock from 'lucide-react/icons/clock'
import Megaphone from 'lucide-react/icons/megaphone'
import UserRound from 'lucide-react/icons/user-round'
import type { ReactNode } from 'react'
import { ChannelLabel, ChannelMark, providerNames } from '../../ui/channel.tsx'
import { classes } from '../../ui/classes.ts'
import { exactTime } from '../../ui/format-time.ts'
import { useStores } from '../data/stores.ts'
import { inboxWords as words } from '../words.ts'
import { channelWords } from './channel-words.ts'
import type { ChannelShown } from './thread-items.ts'
import { type Tick, tickOf } from './tick.ts'
import { WhyButton } from './why-button.tsx'

/** Author, channel, time, delivery. A contact's has no author: the side says who. `children`: what else is to be said of it. */
export function Receipt({
  message,
  channelShown,
  isLatestAnswer,
  children,
}: {
  message: Message
  channelShown: ChannelShown
  isLatestAnswer: boolean
  children?: ReactNode
}) {
  const isOut = message.direction === 'outgoing'
  return (
    <div className="receipt">
      {isOut && <By message={message} />}
      {message.hasAnswer && (
        <span className="dot">
          <WhyButton messageId={message.id} isLatest={isLatestAnswer} />
        </span>
      )}
      {channelShown !== 'none' && (
        <span className={classes('receipt-channel', isOut && 'dot')}>
          {channelShown === 'name' ? (
            <ChannelLabel channel={message.channel} />
          ) : (
            <ChannelMark channel={message.channel} />
          )}
        </span>
      )}
      <span className={isOut || channelShown !== 'none' ? 'dot' : ''}>
        <ClockTime at={message.createdAt} />
      </span>
      {children}
      {isOut && <State message={message} />}
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

/** The state of a delivery. One that failed is explained in the box above it. */
function State({ message: { delivery, channel } }: { message: Message }) {
  if (!delivery) return null
  const tick = tickOf(delivery)
  if (tick === 'failed') return null
  const { Icon, text } = ticks[tick]
  return (
    <span
      className={classes('dot receipt-delivery', looks[tick])}
      title={tick === 'sent' || tick === 'delivered' || tick === 'read' ? sayMore(delivery, channel) : undefined}
    >
      {Icon && <Icon className="i" />}
      {text}
      {tick === 'read' && delivery.overChannel?.readAt && ` ${clock(delivery.overChannel.readAt)}`}
    </span>
  )
}

const looks: Partial<Record<Tick, string>> = { 'in doubt': 'receipt-doubt', read: 'receipt-read' }

const ticks = {
  waiting: { Icon: Clock, text: words.waitingToLeave },
  held: { Icon: Clock, text: channelWords.waitsForChannel },
  sent: { Icon: Check, text: words.sent },
  delivered: { Icon: CheckCheck, text: channelWords.delivered },
  read: { Icon: CheckCheck, text: channelWords.read },
  'in doubt': { Icon: CircleQuestionMark, text: channelWords.inDoubt },
  'not sent': { Icon: undefined, text: channelWords.notSent },
} as const

/** When it was sent, arrived and was read, and whether that is all that will be known of it. */
function sayMore(
  { sentAt, overChannel }: NonNullable<Message['delivery']>,
  { kind }: Message['channel'],
): string | undefined {
  const said = [
    sentAt && words.sentAt(exactTime(new Date(sentAt))),
    overChannel?.deliveredAt && channelWords.deliveredAt(exactTime(new Date(overChannel.deliveredAt))),
    overChannel?.readAt && channelWords.readAt(exactTime(new Date(overChannel.readAt))),
    overChannel?.repeatedAt && channelWords.perhapsTwice(exactTime(new Date(overChannel.repeatedAt))),
    overChannel?.doubtEndedBy && channelWords.saysArrived(overChannel.doubtEndedBy),
    kind !== null && overChannel && !overChannel.receipts && channelWords.tellsNoMore(providerNames[kind]),
  ].filter((one) => typeof one === 'string' && one !== '')
  return said.length === 0 ? undefined : said.join('. ')
}

function ClockTime({ at }: { at: string }) {
  const date = new Date(at)
  return (
    <time dateTime={at} title={exactTime(date)}>
      {clock(at)}
    </time>
  )
}

const clock = (at: string) => new Date(at).toLocaleTimeString(undefined, { timeStyle: 'short' })
