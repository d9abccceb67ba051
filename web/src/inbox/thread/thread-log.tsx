import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import type { ThreadEvent } from '@patchbay/contract/app/messages.ts'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { shortDate } from '../../ui/format-time.ts'
import { nameOfWay } from '../compose/name-of-way.ts'
import { unsentShown } from '../compose/unsent-shown.ts'
import { loadOlderMessages } from '../data/queries.ts'
import { useStores, useUnsent } from '../data/stores.ts'
import { type LoadedThread, lastIncomingSeq } from '../data/thread-cache.ts'
import { useMarkRead } from '../data/use-mark-read.ts'
import { useIsWriting } from '../data/writing.ts'
import { inboxWords as words } from '../words.ts'
import { Announcer } from './announcer.tsx'
import { Bubble } from './bubble.tsx'
import { NoteBubble } from './note-bubble.tsx'
import { BotTyping, ContactTyping, Day, Event } from './small-items.tsx'
import { threadItems } from './thread-items.ts'
import { isTold, tickOf } from './tick.ts'
import { UnsentBubble } from './unsent-bubble.tsx'
import { useThreadScroll } from './use-thread-scroll.ts'

type Props = { contactId: string; thread: LoadedThread; detail: ConversationDetail | undefined; name: string }

/** What was said, oldest first. */
export function ThreadLog({ contactId, thread, detail, name }: Props) {
  const { me } = useStores()
  const allUnsent = useUnsent()
  const unsent = unsentShown(allUnsent, { contactId, messages: thread.messages, userId: me.user.id })
  const items = useMemo(() => threadItems(thread), [thread])
  const { latestAnswer, latestFailed } = latestOf(thread)
  const isWriting = detail?.conversation.botIsWriting === true && detail.handler === 'bot'
  const contactWrites = useIsWriting(contactId)
  const loadOlder = useLoadOlder(contactId)
  const content = `${thread.messages.length} ${unsent.length} ${isWriting} ${contactWrites} ${items.length}`
  const { scroller, isAtEnd, toEnd, onScroll } = useThreadScroll({ content: [content, thread], onTop: loadOlder.load })
  const newBelow = useNewBelow(thread, isAtEnd)
  useMarkRead(contactId, lastIncomingSeq(thread), { isAtEnd, readSeq: detail?.readSeq ?? Number.MAX_SAFE_INTEGER })
  const [firstSeq] = useState(() => thread.messages.at(-1)?.seq ?? 0)
  const written = unsent.at(-1)?.clientId
  useEffect(() => {
    if (written !== undefined) toEnd() // whoever writes wants to see it
  }, [written, toEnd])
  return (
    <div className="thread-frame">
      <div
        className="thread"
        ref={scroller}
        onScroll={onScroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which the keyboard must be able to do
        tabIndex={0}
        role="log"
        data-pane-focus=""
        aria-live="off"
        aria-label={words.messageLog}
      >
        <div className="thread-items">
          <div className="older small faint">
            {thread.older === null ? beginningOf(thread) : loadOlder.isLoading ? words.loadingOlder : ''}
          </div>
          {items.map((item) => {
            if (item.kind === 'day') return <Day key={item.key} at={item.at} />
            if (item.kind === 'event')
              return <EventOf key={item.key} event={item.event} contact={name} thread={thread} detail={detail} />
            if (item.kind === 'note') return <NoteBubble key={item.key} contactId={contactId} note={item.note} />
            const rises = item.message.seq > firstSeq && item.message.userId !== me.user.id
            const isLatestAnswer = item.message === latestAnswer
            const isLatestFailed = item.message === latestFailed
            return (
              <Bubble
                {...item}
                key={item.key}
                rises={rises}
                name={name}
                isLatestAnswer={isLatestAnswer}
                isLatestFailed={isLatestFailed}
              />
            )
          })}
          {unsent.map((item) => (
            <UnsentBubble key={item.clientId} item={item} />
          ))}
          {isWriting && <BotTyping />}
          {contactWrites && <ContactTyping name={name} />}
        </div>
      </div>
      {!isAtEnd && (
        <button type="button" className="to-end" onClick={toEnd} aria-label={words.toNewest}>
          {newBelow > 0 ? words.newBelow(newBelow) : '↓'}
        </button>
      )}
      <Announcer thread={thread} name={name} />
    </div>
  )
}

type EventOfProps = Pick<Props, 'thread' | 'detail'> & { event: ThreadEvent; contact: string }

/** An event, with what its channel is called where the contact is known there by a number: by the message that it follows. */
function EventOf({ event, contact, thread, detail }: EventOfProps) {
  const label = thread.messages.find(({ seq }) => seq === event.seq)?.channel.label
  const way = detail?.replyBy.ways.find(({ channelId, address }) => channelId === label && address?.startsWith('+'))
  return <Event event={event} contact={contact} kind={way && nameOfWay(way)} />
}

/** Those of which keys act on the last one. */
function latestOf({ messages }: LoadedThread) {
  return {
    latestAnswer: messages.findLast(({ hasAnswer }) => hasAnswer),
    latestFailed: messages.findLast(
      ({ delivery }) => delivery && delivery.status === 'Failed' && isTold(tickOf(delivery)),
    ),
  }
}

function beginningOf({ removedBefore }: LoadedThread): string {
  return removedBefore ? words.removedBefore(shortDate(new Date(removedBefore), new Date())) : words.beginning
}

/** How many messages came below while the reader was further up. */
function useNewBelow({ messages }: LoadedThread, isAtEnd: boolean): number {
  const last = messages.at(-1)?.seq ?? 0
  const seen = useRef(last)
  useEffect(() => {
    if (isAtEnd) seen.current = last
  }, [isAtEnd, last])
  return isAtEnd ? 0 : messages.filter(({ seq }) => seq > seen.current).length
}

function useLoadOlder(contactId: string) {
  const [isLoading, setLoading] = useState(false)
  const isBusy = useRef(false)
  const load = useCallback(() => {
    if (isBusy.current) return
    isBusy.current = true
    setLoading(true)
    void loadOlderMessages(contactId)
      .catch(() => {}) // tried again at the next scroll
      .finally(() => {
        isBusy.current = false
        setLoading(false)
      })
  }, [contactId])
  return { isLoading, load }
}
