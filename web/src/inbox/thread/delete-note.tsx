import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, call } from '../../data/api.ts'
import { sayError } from '../../ui/error-state.tsx'
import { showToast } from '../../ui/toast.ts'
import { leaveOutNotes } from '../data/queries.ts'
import { focusPane } from '../panes.ts'
import { inboxWords } from '../words.ts'
import { noteWords as words } from './note-words.ts'

/** Deletes a note of one's own, from under it; it asks in its place. */
export function DeleteNote({ contactId, noteId }: { contactId: string; noteId: string }) {
  const [isAsking, setAsking] = useState<boolean>()
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/conversations/:contactId/notes/:noteId', { params: { contactId, noteId } }),
    onError: (error) => {
      // Deleted in another tab, or by a request whose answer was lost.
      if (error instanceof ApiError && error.status === 404) leaveOut()
      else showToast({ text: `${inboxWords.notDone} ${sayError(error).title}` })
    },
    onSuccess: () => leaveOut(),
  })
  const leaveOut = () => {
    focusPane('thread')
    leaveOutNotes(contactId, [noteId])
    showToast({ text: words.deleted })
  }
  if (!isAsking) {
    return (
      <button
        type="button"
        className="link"
        aria-label={words.deleteNote}
        ref={isAsking === false ? focus : undefined}
        onClick={() => setAsking(true)}
      >
        {words.delete}
      </button>
    )
  }
  return (
    <>
      <button type="button" className="link fail" onClick={() => !remove.isPending && remove.mutate()}>
        {words.deleteIt}
      </button>{' '}
      <button type="button" className="link" ref={focus} onClick={() => setAsking(false)}>
        {words.keep}
      </button>
    </>
  )
}

const focus = (element: HTMLElement | null) => element?.focus()
