import { useQuery } from '@tanstack/react-query'
import Lock from 'lucide-react/icons/lock'
import { lazy, Suspense } from 'react'
import { useCommands } from '../../commands/commands.ts'
import { Seg } from '../../ui/seg.tsx'
import { conversationCommand } from '../conversation-command.ts'
import { detailQuery } from '../data/queries.ts'
import type { LoadedThread } from '../data/thread-cache.ts'
import { teamWords } from '../team/words.ts'
import { inboxWords as words } from '../words.ts'
import { setComposeMode, useComposeMode, writeIn } from './compose-mode.ts'
import { ReplyBox } from './reply-box.tsx'
import { ReplyBy } from './reply-by.tsx'
import { useReplyWays } from './reply-ways.ts'
import { stoppedIn } from './stopped.ts'

const NoteBox = lazy(() => import('./note-box.tsx').then(({ NoteBox }) => ({ default: NoteBox })))

type Props = { contactId: string; name: string; thread: LoadedThread | undefined }

/**
 * Where a reply or a note is written. What is begun is kept for each conversation, replies and notes apart. Whom nothing can be sent to,
 * because they have ended it, notes are written about.
 */
export function Composer({ contactId, name, thread }: Props) {
  const chosen = useComposeMode(contactId)
  const { data: detail } = useQuery(detailQuery(contactId))
  const by = useReplyWays(contactId, detail, thread)
  const stopped = detail && stoppedIn(detail.replyBy, by.way)
  const isNoteOnly = stopped !== undefined && stopped.others.length === 0
  const mode = isNoteOnly ? 'note' : chosen
  useCommands([
    { ...conversationCommand('reply', words.keys.reply, 'r'), run: () => writeIn(contactId, 'reply') },
    { ...conversationCommand('note', words.keys.note, 'n', Lock), run: () => writeIn(contactId, 'note') },
  ])
  const choice = (
    <Seg
      label={teamWords.write}
      value={mode}
      options={[
        { value: 'reply', label: teamWords.reply, disabled: isNoteOnly },
        { value: 'note', label: teamWords.note },
      ]}
      onChange={(wanted) => setComposeMode(contactId, wanted)}
    />
  )
  if (mode === 'note') {
    return (
      <Suspense fallback={<div className="compose-box as-note" />}>
        <NoteBox
          contactId={contactId}
          choice={choice}
          isAsked={chosen === 'note'}
          line={isNoteOnly && <ReplyBy {...by} onChosen={() => {}} />}
        />
      </Suspense>
    )
  }
  return <ReplyBox contactId={contactId} name={name} thread={thread} choice={choice} detail={detail} />
}
