import { Tag } from '../../../ui/tag.tsx'
import { Time } from '../../../ui/time.tsx'
import type { PageChat } from '../../data/chat-of.ts'
import { LimitRow, LimitTable } from '../limits.tsx'
import { oneWords as words } from '../words.ts'

const count = (n: number) => n.toLocaleString()
const megabytes = (bytes: number) => `${(bytes / 1_000_000).toLocaleString(undefined, { maximumFractionDigits: 1 })} MB`

/** What strangers may cost in a day, what this day has come to, and what was refused. */
export function ChatToday({ channel: { chat } }: { channel: PageChat }) {
  const { today, openPanels, refused: lastPage } = chat
  const { caps } = chat.settings
  const { refused } = today
  return (
    <section className="stack stack-3" aria-label={words.chatToday}>
      <h2 className="h-section">{words.chatToday}</h2>
      <LimitTable label={words.chatToday}>
        <LimitRow name={words.openPanels} value={count(openPanels)}>
          {words.openPanelsSay}
        </LimitRow>
        <LimitRow name={words.newVisitors} value={count(today.contacts)}>
          <Full used={today.contacts} of={caps.contactsADay} />
          {words.ofDayAndMinute(count(caps.contactsADay), count(caps.contactsAMinute))}
        </LimitRow>
        <LimitRow name={words.messagesIn} value={count(today.messages)}>
          <Full used={today.messages} of={caps.messagesADay} />
          {words.ofDayAndMinute(count(caps.messagesADay), count(caps.messagesAMinute))}
        </LimitRow>
        <LimitRow name={words.files} value={megabytes(today.fileBytes)}>
          <Full used={today.fileBytes} of={caps.fileBytesADay} />
          {words.ofDay(megabytes(caps.fileBytesADay))}
        </LimitRow>
        <LimitRow name={words.modelAnswers} value={count(today.modelAnswers)}>
          <Full used={today.modelAnswers} of={caps.modelAnswersADay} />
          {words.ofDay(count(caps.modelAnswersADay))}
        </LimitRow>
        <LimitRow name={words.refused} value={count(refused.all)}>
          {sayRefused(refused)}{' '}
          {lastPage && (
            <>
              <bdi>{words.lastRefused(lastPage.origin)}</bdi> <Time at={lastPage.at} />.
            </>
          )}
        </LimitRow>
        <LimitRow name={words.forged} value={count(refused.forged)}>
          {words.forgedSays}
        </LimitRow>
      </LimitTable>
    </section>
  )
}

/** Why, most of it first. */
function sayRefused({ all, page, pace, full, forged }: PageChat['chat']['today']['refused']): string {
  if (all === 0) return words.refusedSays
  const reasons = { page, pace, full, forged, other: all - page - pace - full - forged }
  const counted = Object.entries(reasons).filter(([, times]) => times > 0)
  const lines = counted.toSorted(([, one], [, other]) => other - one)
  return `${lines.map(([why, times]) => words.refusedFor[why as keyof typeof reasons](count(times))).join(', ')}.`
}

/** That today's share is used up. */
function Full({ used, of }: { used: number; of: number }) {
  if (used < of) return null
  return (
    <>
      <Tag tone="wait">{words.isFull}</Tag>{' '}
    </>
  )
}
