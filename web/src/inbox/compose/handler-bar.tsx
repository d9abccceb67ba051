import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import BellOff from 'lucide-react/icons/bell-off'
import Bot from 'lucide-react/icons/bot'
import Coins from 'lucide-react/icons/coins'
import Hand from 'lucide-react/icons/hand'
import Pause from 'lucide-react/icons/pause'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import Undo2 from 'lucide-react/icons/undo-2'
import UserRound from 'lucide-react/icons/user-round'
import type { ComponentType } from 'react'
import { useCommands } from '../../commands/commands.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { duration, shortDate, timeAgo } from '../../ui/format-time.ts'
import { HandlerSwitch } from '../../ui/handler-switch.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { useNow } from '../../ui/use-now.ts'
import { conversationCommand } from '../conversation-command.ts'
import { useStores } from '../data/stores.ts'
import type { LoadedThread } from '../data/thread-cache.ts'
import { useActions } from '../data/use-actions.ts'
import { shortName } from '../names.ts'
import { type WhoAnswers, whoAnswers } from '../who-answers.ts'
import { sayWhoAnswers } from '../who-answers-words.ts'
import { inboxWords as words } from '../words.ts'

/** Who has the conversation, where the eye is before typing. */
export function HandlerBar({ detail, thread }: { detail: ConversationDetail; thread: LoadedThread | undefined }) {
  const who = whoAnswers(detail)
  const { title, rest, short } = sayWhoAnswers(who, useFacts(detail))
  const { setMayBotWrite } = useActions(detail.contact.id)
  const Icon = icons[who.state] ?? Bot
  return (
    <div className={classes('handler', who.isPaused && 'paused')}>
      <Icon className="i" />
      <div className="handler-what" role="status">
        <b>
          <bdi>{title}</bdi>
        </b>{' '}
        <span className="handler-long">{rest}</span>
        <span className="handler-short small">{short}</span>
      </div>
      {who.canSwitch && <Switch who={who} detail={detail} thread={thread} />}
      {who.state === 'off' && (
        <Button size="sm" onClick={() => void setMayBotWrite(true)}>
          {words.switchOn}
        </Button>
      )}
    </div>
  )
}

function Switch({
  who,
  detail,
  thread,
}: {
  who: WhoAnswers
  detail: ConversationDetail
  thread: LoadedThread | undefined
}) {
  const { takeOver, handBack, handBackAndAnswer } = useActions(detail.contact.id)
  const { me } = useStores()
  const { handlerUser } = detail
  const t = <Kbd press="t" className="only-wide" />
  const isOther = handlerUser && handlerUser.id !== me.user.id
  const holder = isOther ? <bdi className="cut handler-holder">{handlerUser.name}</bdi> : words.youSide
  const options = [
    {
      value: 'bot',
      label:
        who.plugged === 'bot' ? (
          words.botSide
        ) : (
          <>
            {words.handBack} {who.plugged === 'person' && t}
          </>
        ),
    },
    {
      value: 'person',
      label:
        who.plugged === 'person' ? (
          holder
        ) : (
          <>
            {words.takeOver} {t}
          </>
        ),
    },
  ] as const
  const hasOpenQuestion = thread?.messages.at(-1)?.direction === 'incoming'
  const change = (value: 'bot' | 'person') => void (value === 'bot' ? handBack(hasOpenQuestion) : takeOver())
  const answer = {
    ...conversationCommand('answer', words.commands.handBackAndAnswer, undefined, Undo2),
    run: () => void handBackAndAnswer(),
  }
  useCommands([
    {
      ...conversationCommand('sides', words.keys.takeOver, 't', UserRound),
      run: () => change(who.plugged === 'person' ? 'bot' : 'person'),
    },
    ...(who.plugged === 'bot' ? [] : [answer]),
  ])
  return <HandlerSwitch label={words.whoAnswers} value={who.plugged} options={options} onChange={change} />
}

function useFacts(detail: ConversationDetail) {
  const { contact, handlerSince, handlerUser, botResumesAt, conversation } = detail
  const now = useNow('minute')
  const { me } = useStores()
  const since = handlerSince ?? conversation.waitingSince
  const isMine = handlerUser?.id === me.user.id
  const left = botResumesAt === null ? null : Date.parse(botResumesAt) - now.getTime()
  return {
    isMine,
    contact: shortName(detail) || words.noName,
    since: since && timeAgo(new Date(since), now),
    resumes: left === null ? null : left < 60_000 ? 'with the next message' : `in ${duration(left)}`,
    colleague: handlerUser && !isMine ? handlerUser.name : null,
    optedOutOn: contact.optedOutAt && shortDate(new Date(contact.optedOutAt), now),
  }
}

const icons: Partial<Record<WhoAnswers['state'], ComponentType<{ className?: string }>>> = {
  typed: Pause,
  'taken over': Pause,
  requested: Hand,
  called: Hand,
  stale: Hand,
  'bot, missed': Hand,
  'engine failed': TriangleAlert,
  'no credits': Coins,
  'bot, no credits': Coins,
  'bot, no campaign': Hand,
  'bot, campaign paused': Pause,
  'bot, limit': Pause,
  deletion: Hand,
  'bot switched off': Pause,
  'opted out': BellOff,
  off: BellOff,
}
