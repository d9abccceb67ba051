import type { Message, Note } from '@patchbay/contract/app/messages.ts'
import { useEffect, useRef, useState } from 'react'
import { useStores } from '../data/stores.ts'
import type { LoadedThread } from '../data/thread-cache.ts'
import { teamWords } from '../team/words.ts'
import { inboxWords as words } from '../words.ts'
import { isTold, tickOf } from './tick.ts'

/**
 * Tells screen readers of new messages and notes of others, and once of each reply that failed. The log itself stays quiet: older pages and
 * countdowns are no news.
 */
export function Announcer({ thread: { messages, notes }, name }: { thread: LoadedThread; name: string }) {
  const { me } = useStores()
  const [said, setSaid] = useState('')
  const seen = useRef<{ seq: number; failed: Set<string>; notes: Set<string> }>(undefined)
  useEffect(() => {
    const failed = messages.filter(({ delivery }) => delivery && isTold(tickOf(delivery)))
    const before = seen.current
    seen.current = {
      seq: messages.at(-1)?.seq ?? 0,
      failed: new Set([...(before?.failed ?? []), ...failed.map(({ id }) => id)]),
      notes: new Set(notes.map(({ id }) => id)),
    }
    if (!before) return
    const news = [
      ...messages
        .filter(({ seq, author, details }) => seq > before.seq && author !== 'person' && !details?.takenBackAt)
        .map((each) => sayNew(each, name)),
      ...notes
        .filter(({ id, seq, userId }) => seq >= before.seq && !before.notes.has(id) && userId !== me.user.id)
        .map(sayNote),
    ]
    if (news.length > 0) setSaid(news.join('. '))
    const newlyFailed = failed.filter(({ id }) => !before.failed.has(id))
    if (newlyFailed.length === 0) return
    // Its words are loaded with the first of them.
    void import('./say-failed.ts').then(({ sayFailed }) => setSaid([...news, ...newlyFailed.map(sayFailed)].join('. ')))
  }, [messages, notes, name, me.user.id])
  return (
    <div className="sr" role="status">
      {said}
    </div>
  )
}

function sayNew({ author, body, file }: Message, name: string): string {
  const who = author === 'contact' ? name : author === 'bot' ? words.bot : words.api
  return words.said(who, body.slice(0, 300) || (file ? words.file : ''))
}

function sayNote({ userName, body }: Note): string {
  return words.said(teamWords.noteBy(userName ?? teamWords.aColleague), body.slice(0, 300))
}
