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

const NoteBox = lazy(() => import('./note-box.tsx').then(({ NoteBox }) => ({ default: NoteBox })))

type Props = { contactId: string; name: string; thread: LoadedThread | undefined }

/** Where a reply or a note is written. What is begun is kept for each conversation, replies and notes apart. */
export function Composer({ contactId, name, thread }: Props) {
  const mode = useComposeMode(contactId)
  const { data: detail } = useQuery(detailQuery(contactId))
  useCommands([
    { ...conversationCommand('reply', words.keys.reply, 'r'), run: () => writeIn(contactId, 'reply') },
    { ...conversationCommand('note', words.keys.note, 'n', Lock), run: () => writeIn(contactId, 'note') },
  ])
  const choice = (
    <Seg
      label={teamWords.write}
      value={mode}
      options={[
        { value: 'reply', label: teamWords.reply },
        { value: 'note', label: teamWords.note },
      ]}
      onChange={(chosen) => setComposeMode(contactId, chosen)}
    />
  )
  if (mode === 'note') {
    return (
      <Suspense fallback={<div className="compose-box as-note" />}>
        <NoteBox contactId={contactId} choice={choice} />
      </Suspense>
    )
  }
  return <ReplyBox contactId={contactId} name={name} thread={thread} choice={choice} detail={detail} />
}
