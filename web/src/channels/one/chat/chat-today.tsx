import { Tag } from '../../../ui/tag.tsx'
import { Time } from '../../../ui/time.tsx'
import type { PageChat } from '../../data/chat-of.ts'
import { LimitRow, LimitTable } from '../limits.tsx'
import { oneWords as words } from '../words.ts'

const count = (n: number) => n.toLocaleString()
const megabytes = (bytes: number) => `${(bytes / 1_000_000).toLocaleString(undefined, { maximumFractionDigits: 1 })} MB`

/** What strangers may cost in a day, what this day has come to, and what was refused. */
export function ChatToday({ channel: { chat } }: { channel: PageChat }) {
  const { today, refused } = chat
  const { caps } = chat.settings
  return (
    <section className="stack stack-3" aria-label={words.chatToday}>
      <h2 className="h-section">{words.chatToday}</h2>
      <LimitTable label={words.chatToday}>
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
        <LimitRow name={words.refused} value={count(today.refused)}>
          {words.refusedSays}{' '}
          {refused && (
            <>
              <bdi>{words.lastRefused(refused.origin)}</bdi> <Time at={refused.at} />.
            </>
          )}
        </LimitRow>
      </LimitTable>
    </section>
  )
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
