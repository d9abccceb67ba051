import { limits } from '@patchbay/contract/limits.ts'
import Lock from 'lucide-react/icons/lock'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { call } from '../../data/api.ts'
import { queryClient } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { showToast } from '../../ui/toast.ts'
import { threadQuery } from '../data/queries.ts'
import { useNoteDraft, useStores } from '../data/stores.ts'
import { withNote } from '../data/thread-cache.ts'
import { teamWords as words } from '../team/words.ts'
import { inboxWords } from '../words.ts'
import { isSend } from './is-send.ts'
import { useGrow } from './use-grow.ts'

type Props = {
  contactId: string
  choice: ReactNode
  /** Somebody wants to write one; else it is there because nothing can be sent. */
  isAsked: boolean
  /** The first line, where there is one. */
  line: ReactNode
}

/** Where a note is written. It looks different before the first letter, so that nothing is sent by mistake. */
export function NoteBox({ contactId, choice, isAsked, line }: Props) {
  const { noteDrafts } = useStores()
  const text = useNoteDraft(contactId)
  const area = useRef<HTMLTextAreaElement>(null)
  useGrow(area, text)
  useEffect(() => {
    if (isAsked) area.current?.focus()
  }, [isAsked])
  const { keep, isBusy } = useKeepNote(contactId)
  const canKeep = text.trim() !== '' && new TextEncoder().encode(text).length <= limits.bodyBytes
  const submit = async () => {
    if (!canKeep || isBusy) return
    if (await keep(text.trim())) noteDrafts.set(contactId, '')
    area.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isSend(event)) return
    event.preventDefault()
    void submit()
  }
  return (
    <div className="compose-box as-note">
      {line}
      <textarea
        ref={area}
        rows={2}
        dir="auto"
        aria-label={words.noteFor}
        placeholder={words.noteFor}
        value={text}
        onChange={(event) => noteDrafts.set(contactId, event.target.value)}
        onKeyDown={onKeyDown}
        data-composer=""
        data-pane-focus=""
      />
      <div className="compose-foot">
        {choice}
        <span className="small faint row note-hint">
          <Lock className="i i-14" />
          {words.noteHint}
        </span>
        <Button size="sm" className="compose-foot-send" onClick={() => void submit()} aria-disabled={!canKeep}>
          {words.keepNote} <Kbd press="Enter" className="only-wide" />
        </Button>
      </div>
    </div>
  )
}

/** Keeps a note. The same one is tried again with the same id, so that it is kept once. */
function useKeepNote(contactId: string) {
  const [isBusy, setBusy] = useState(false)
  const last = useRef({ body: '', clientId: '' })
  const keep = async (body: string): Promise<boolean> => {
    if (last.current.body !== body) last.current = { body, clientId: crypto.randomUUID() }
    setBusy(true)
    try {
      const { clientId } = last.current
      const note = await call('POST /api/conversations/:contactId/notes', {
        params: { contactId },
        body: { body, clientId },
      })
      last.current = { body: '', clientId: '' }
      queryClient.setQueryData(threadQuery(contactId).queryKey, (loaded) => loaded && withNote(loaded, note))
      return true
    } catch (error) {
      showToast({ text: `${inboxWords.notDone} ${sayError(error).title}` })
      return false
    } finally {
      setBusy(false)
    }
  }
  return { keep, isBusy }
}
