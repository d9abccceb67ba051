import type { Conversation } from '@patchbay/contract/app/conversations.ts'
import { Link } from '@tanstack/react-router'
import AlarmClock from 'lucide-react/icons/alarm-clock'
import Bot from 'lucide-react/icons/bot'
import Braces from 'lucide-react/icons/braces'
import CircleQuestionMark from 'lucide-react/icons/circle-question-mark'
import Hand from 'lucide-react/icons/hand'
import Paperclip from 'lucide-react/icons/paperclip'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import UserRound from 'lucide-react/icons/user-round'
import { memo, useRef } from 'react'
import { Avatar } from '../../ui/avatar.tsx'
import { classes } from '../../ui/classes.ts'
import { duration } from '../../ui/format-time.ts'
import { Tag } from '../../ui/tag.tsx'
import { Time } from '../../ui/time.tsx'
import { useNow } from '../../ui/use-now.ts'
import { prefetchConversation } from '../data/queries.ts'
import { useDraft, useStores } from '../data/stores.ts'
import { useIsWriting } from '../data/writing.ts'
import { shownName } from '../names.ts'
import { formatTime } from '../team/snooze-times.ts'
import { teamWords } from '../team/words.ts'
import { channelWords } from '../thread/channel-words.ts'
import { inboxWords as words } from '../words.ts'

/** A pointer that only passes over a row warms nothing. */
const hoverMs = 60

/** A row of the list: who, when, what they said last, and at the right edge what needs a hand. */
export const Convo = memo(function Convo({
  row,
  isOpen,
  isStop,
}: {
  row: Conversation
  isOpen: boolean
  isStop: boolean
}) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const name = shownName(row) || words.noName
  const isUnread = row.unread > 0 && !isOpen
  return (
    <Link
      to="/inbox/$contactId"
      params={{ contactId: row.contactId }}
      search={true}
      preload={false}
      className={classes('convo', isUnread && 'unread')}
      aria-current={isOpen ? 'true' : undefined}
      activeProps={{}}
      tabIndex={isStop ? 0 : -1}
      data-contact={row.contactId}
      data-pane-focus={isStop ? '' : undefined}
      onPointerEnter={() => {
        timer.current = setTimeout(() => prefetchConversation(row.contactId), hoverMs)
      }}
      onPointerLeave={() => clearTimeout(timer.current)}
      onFocus={() => prefetchConversation(row.contactId)}
    >
      <Avatar name={row.name} channel={row.channel} />
      <span className="convo-who cut">
        <bdi>{name}</bdi>
        <span className="sr">
          , {row.channel.name}
          {isUnread && `, ${words.unread}`}
        </span>
      </span>
      <Time at={row.lastAt} as="clock" className="convo-when" />
      <LastMessage row={row} />
      <Flag row={row} />
    </Link>
  )
})

function LastMessage({ row }: { row: Conversation }) {
  const draft = useDraft(row.contactId)
  const contactWrites = useIsWriting(row.contactId)
  if (draft.trim() !== '') {
    return (
      <span className="convo-said cut draft">
        <span dir="auto">
          <b>{words.draft}</b> {draft.slice(0, 120)}
        </span>
      </span>
    )
  }
  if (row.botIsWriting) {
    return (
      <span className="convo-said cut">
        <Bot className="i" />
        <span>{words.botIsWritingRow}</span>
      </span>
    )
  }
  if (contactWrites) return <span className="convo-said cut">{words.isWritingRow}</span>
  return <LastSaid last={row.last} />
}

function LastSaid({ last }: { last: Conversation['last'] }) {
  const { me } = useStores()
  const Icon = { contact: undefined, bot: Bot, person: UserRound, api: Braces }[last.author]
  const colleague = last.author === 'person' && last.userName !== me.user.name ? last.userName : null
  return (
    <span className="convo-said cut">
      {Icon && <Icon className="i" />}
      {last.hasFile && <Paperclip className="i" />}
      <span dir="auto">
        {colleague && `${colleague}: `}
        {last.isTakenBack ? channelWords.tookBack : last.text || (last.hasFile ? words.file : '')}
      </span>
    </span>
  )
}

function Flag({ row }: { row: Conversation }) {
  return (
    <span className="convo-flag">
      {row.state === 'closed' && <Tag>{teamWords.closed}</Tag>}
      {row.snoozedUntil !== null && <SnoozeTag until={row.snoozedUntil} />}
      {row.state === 'open' && row.waitingSince !== null && <Waiting since={row.waitingSince} />}
      {row.isInDoubt && (
        <Tag tone="wait" title={channelWords.inDoubtHint}>
          <CircleQuestionMark className="i" />
          {channelWords.inDoubt}
        </Tag>
      )}
      {row.hasFailed && !row.isInDoubt && (
        <Tag tone="fail" title={words.failedHint}>
          <TriangleAlert className="i" />
          {words.failed}
        </Tag>
      )}
    </span>
  )
}

function SnoozeTag({ until }: { until: string }) {
  const now = useNow('minute')
  const time = formatTime(new Date(until), now)
  return (
    <Tag title={teamWords.snoozedUntil(time)}>
      <AlarmClock className="i" />
      <span className="sr">{teamWords.snoozed}, </span>
      {teamWords.snoozedUntilShort(time)}
    </Tag>
  )
}

function Waiting({ since }: { since: string }) {
  const age = duration(useNow('minute').getTime() - Date.parse(since))
  return (
    <Tag tone="wait" title={words.waitingFor(age)}>
      <Hand className="i" />
      <span className="sr">{words.waitingGroup}, </span>
      {age}
    </Tag>
  )
}
