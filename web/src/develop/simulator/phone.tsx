import type { Message } from '@patchbay/contract/app/messages.ts'
import { useMutation } from '@tanstack/react-query'
import Clock from 'lucide-react/icons/clock'
import { useEffect, useRef } from 'react'
import { call } from '../../data/api.ts'
import { classes } from '../../ui/classes.ts'
import { countdown } from '../../ui/countdown.ts'
import { Empty } from '../../ui/empty.tsx'
import { Time } from '../../ui/time.tsx'
import { useNow } from '../../ui/use-now.ts'
import { simulatorWords as words } from './words.ts'
import '../../inbox/thread/bubble.css'
import '../../inbox/thread/thread.css'

/** The conversation as the contact sees it: what they wrote on the right, replies on the left as soon as they arrived. */
export function Phone({ name, messages, refresh }: { name: string; messages: Message[]; refresh: () => void }) {
  const log = useRef<HTMLDivElement>(null)
  const count = messages.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls when a message was added
  useEffect(() => {
    if (log.current) log.current.scrollTop = log.current.scrollHeight
  }, [count])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard
    <div className="thread sim-phone" ref={log} tabIndex={0} role="log" aria-label={words.phoneOf(name)}>
      {count === 0 && <Empty title={words.nobodyYet} says={words.nobodyYetSays} />}
      {messages.map((message) => (
        <PhoneBubble key={message.id} message={message} refresh={refresh} />
      ))}
    </div>
  )
}

function PhoneBubble({ message, refresh }: { message: Message; refresh: () => void }) {
  const { direction, delivery, author, body, createdAt, kind } = message
  const isOurs = direction === 'incoming'
  const hasArrived = isOurs || delivery?.status === 'Sent'
  return (
    <div className={classes('bubble', isOurs && 'out', !isOurs && author, !hasArrived && 'away')}>
      <div className="bubble-box" dir="auto">
        <span className="bubble-text">{body}</span>
      </div>
      <div className="receipt">
        <Time at={createdAt} as="clock" />
        {isOurs && kind === 'text' && <span className="dot">{words.keptOnce}</span>}
        {!hasArrived && <Away message={message} refresh={refresh} />}
      </div>
    </div>
  )
}

function Away({ message, refresh }: { message: Message; refresh: () => void }) {
  const again = useMutation({
    mutationFn: () => call('POST /api/deliveries/:id/resend', { params: { id: message.id } }),
    onSettled: refresh,
  })
  const now = useNow('second')
  const { attempts = 0, askedAttempts = 0, nextAttemptAt = null, isSending = false } = message.delivery ?? {}
  const isOnItsWay = again.isPending || isSending
  const left = nextAttemptAt && countdown(Date.parse(nextAttemptAt) - now.getTime())
  return (
    <>
      <span className="dot row">
        <Clock className="i i-14" />
        {words.notHereYet}
      </span>
      {attempts > 0 && (
        <span className="dot">{left ? words.tryAt(attempts - askedAttempts + 1, left) : words.noTry}</span>
      )}
      <button type="button" className="link" disabled={isOnItsWay} onClick={() => again.mutate()}>
        {isOnItsWay ? words.tryingNow : words.tryNow}
      </button>
    </>
  )
}
