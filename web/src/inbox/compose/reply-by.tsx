import './reply-by.css'
import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import Ban from 'lucide-react/icons/ban'
import ChevronDown from 'lucide-react/icons/chevron-down'
import Clock from 'lucide-react/icons/clock'
import Send from 'lucide-react/icons/send'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { ChannelMark } from '../../ui/channel.tsx'
import { classes } from '../../ui/classes.ts'
import { formatPhone } from '../../ui/format-phone.ts'
import { exactTime, timeAgo } from '../../ui/format-time.ts'
import { Popover } from '../../ui/popover.tsx'
import { useNow } from '../../ui/use-now.ts'
import { conversationCommand } from '../conversation-command.ts'
import { inboxWords } from '../words.ts'
import { labelOfWay, nameOfWay } from './name-of-way.ts'
import type { ReplyWays } from './reply-ways.ts'
import { isStopped } from './stopped.ts'
import { sayWhyNot } from './why-not.ts'
import { composeWords as words } from './words.ts'

type Props = Pick<ReplyWays, 'ways' | 'way' | 'usual' | 'choose'> & { onChosen: () => void }

/**
 * The first line of the composer: by which way the reply leaves, and what keeps it from leaving. Who is known in one place has nothing to
 * choose, and where that is the own platform there is nothing to say.
 */
export function ReplyBy(props: Props) {
  const known = props.ways.filter(({ whyNot }) => whyNot === null || !unknownThere.includes(whyNot))
  if (known.every(({ channel }) => channel.kind === null)) return null
  return (
    <div className="by-line">
      <span className="small muted only-wide">{words.replyBy}</span>
      {known.length > 1 ? <Ways {...props} /> : props.way && <Named way={props.way} />}
      {props.way && <State way={props.way} />}
    </div>
  )
}

/** They are not known there, and cannot be written to first. */
const unknownThere: NonNullable<ReplyWay['whyNot']>[] = ['no_address', 'no_number', 'number_taken']

function Ways({ ways, way, usual, choose, onChosen }: Props) {
  return (
    <Popover
      label={words.replyBy}
      side="start"
      command={conversationCommand('reply-by', inboxWords.keys.replyBy, 'v', Send)}
      trigger={(props) => (
        <button
          {...props}
          type="button"
          className="by-btn"
          aria-label={words.replyByNow(way ? fullName(way) : words.noWay)}
        >
          {way ? <Named way={way} /> : words.noWay}
          <ChevronDown className="i" />
        </button>
      )}
    >
      {(close) => (
        <div className="by-ways" role="radiogroup" aria-label={words.replyBy}>
          {ways.map((one) => (
            <Choice
              key={one.channelId}
              way={one}
              isChecked={one.channelId === way?.channelId}
              isUsual={one.channelId === usual?.channelId}
              onChoose={() => {
                close()
                choose(one.channelId)
                onChosen()
              }}
            />
          ))}
        </div>
      )}
    </Popover>
  )
}

function Named({ way }: { way: ReplyWay }) {
  return (
    <span className="by-named">
      <Mark way={way} />
      <Name way={way} />
    </span>
  )
}

function Mark({ way: { channel } }: { way: ReplyWay }) {
  return (
    <span className="by-mark" aria-hidden="true">
      <ChannelMark channel={channel} />
    </span>
  )
}

function Name({ way }: { way: ReplyWay }) {
  const label = labelOfWay(way)
  return (
    <span className="by-name cut">
      {nameOfWay(way)} {label && <bdi className="faint">· {label}</bdi>}
    </span>
  )
}

function fullName(way: ReplyWay): string {
  return [nameOfWay(way), labelOfWay(way)].filter(Boolean).join(' · ')
}

function State({ way }: { way: ReplyWay }) {
  const { waits, visitor, address, countsSegments } = way
  const whyNot = sayWhyNot(way)
  if (whyNot !== undefined) {
    return (
      <span className={classes('by-state', isStopped(way) ? 'muted' : 'fail')} role="status">
        {isStopped(way) ? <Ban className="i" /> : <TriangleAlert className="i" />}
        {whyNot}
      </span>
    )
  }
  if (visitor) return <WhenRead seenAt={visitor.seenAt} />
  if (waits === null) return countsSegments && address !== null && <ToNumber number={address} />
  return (
    <span className="by-state wait" role="status">
      <Clock className="i" />
      {words.waits[waits]}
    </span>
  )
}

function ToNumber({ number }: { number: string }) {
  return <span className="by-state muted">{words.toNumber(formatPhone(number))}</span>
}

/** Somebody who has not looked for so long has left the page. */
const awayMs = 5 * 60_000

/** Of a visitor of a website: there is no window to miss, but they read it only when they look. */
function WhenRead({ seenAt }: { seenAt: string | null }) {
  const now = useNow('minute')
  const seen = seenAt === null ? null : new Date(seenAt)
  const isAway = seen === null || now.getTime() - seen.getTime() > awayMs
  return (
    <span className="by-state muted" title={seen ? words.lastSeen(exactTime(seen)) : undefined}>
      {isAway && <Clock className="i" />}
      {isAway ? words.readLater : words.seen(timeAgo(seen, now))}
    </span>
  )
}

type ChoiceProps = { way: ReplyWay; isChecked: boolean; isUsual: boolean; onChoose: () => void }

/** What cannot be used stays, with its reason, and can be reached by the keys. */
function Choice({ way, isChecked, isUsual, onChoose }: ChoiceProps) {
  const { whyNot, waits, address } = way
  const says = whyNot ? sayWhyNot(way) : waits ? words.waits[waits] : isUsual ? words.usual : isChecked && words.chosen
  return (
    // biome-ignore lint/a11y/useSemanticElements: a choice with two lines, which the keys of the popover go through
    <button
      type="button"
      role="radio"
      className="by-way"
      aria-checked={isChecked}
      aria-disabled={whyNot !== null || undefined}
      onClick={() => whyNot === null && onChoose()}
    >
      <Mark way={way} />
      <Name way={way} />
      {address !== null && <bdi className="small faint cut by-address">{formatPhone(address)}</bdi>}
      {says && <span className="by-says">{says}</span>}
    </button>
  )
}
