import type { Note } from '@patchbay/contract/app/messages.ts'
import Lock from 'lucide-react/icons/lock'
import { lazy, Suspense } from 'react'
import { exactTime } from '../../ui/format-time.ts'
import { useStores } from '../data/stores.ts'
import { teamWords as words } from '../team/words.ts'
import { Text } from './text.tsx'

const DeleteNote = lazy(() => import('./delete-note.tsx').then(({ DeleteNote }) => ({ default: DeleteNote })))

/** What a user has written for the others. It looks different from everything that leaves. */
export function NoteBubble({ contactId, note }: { contactId: string; note: Note }) {
  const { me } = useStores()
  const date = new Date(note.at)
  const isMine = note.userId === me.user.id
  const who = isMine ? words.youLower : (note.userName ?? words.aColleague)
  return (
    <article className="bubble out private" data-anchor="">
      <div className="bubble-box">
        <span className="sr">{words.noteBy(who)}: </span>
        <Text body={note.body} />
      </div>
      <div className="receipt">
        <span className="receipt-by">
          <Lock className="i" />
          <bdi>{words.noteBy(who)}</bdi>
        </span>
        <span className="dot">
          <time dateTime={note.at} title={exactTime(date)}>
            {date.toLocaleTimeString(undefined, { timeStyle: 'short' })}
          </time>
        </span>
        <span className="dot">{words.neverLeaves}</span>
        {isMine && (
          <span className="dot">
            <Suspense>
              <DeleteNote contactId={contactId} noteId={note.id} />
            </Suspense>
          </span>
        )}
      </div>
    </article>
  )
}
