import { limits } from '@patchbay/contract/limits.ts'
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { useDraft, useStores } from '../data/stores.ts'
import type { LoadedThread } from '../data/thread-cache.ts'
import { teamWords } from '../team/words.ts'
import { formatSize } from '../thread/format-size.ts'
import { inboxWords as words } from '../words.ts'
import { isSend } from './is-send.ts'
import { useGrow } from './use-grow.ts'
import { useSavedReplies } from './use-saved-replies.ts'

const SavedList = lazy(() => import('./saved-list.tsx').then(({ SavedList }) => ({ default: SavedList })))

type Props = {
  contactId: string
  name: string
  firstName: string | null
  thread: LoadedThread | undefined
  /** The choice between reply and note. */
  choice: ReactNode
}

/** Where a reply is written. A slash at the start of a word offers saved replies. */
export function ReplyBox({ contactId, name, firstName, thread, choice }: Props) {
  const { drafts, queue } = useStores()
  const text = useDraft(contactId)
  const area = useRef<HTMLTextAreaElement>(null)
  useGrow(area, text)
  const setText = (changed: string) => drafts.set(contactId, changed)
  const saved = useSavedReplies({ text, setText, area, firstName })
  const over = new TextEncoder().encode(text).length - limits.bodyBytes
  const canSend = text.trim() !== '' && over <= 0
  const send = () => {
    if (!canSend) return
    queue.add({ contactId, body: text.trim(), afterSeq: thread?.messages.at(-1)?.seq ?? 0 })
    setText('')
    area.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (saved.onKeyDown(event) || !isSend(event)) return
    event.preventDefault()
    send()
  }
  return (
    <div className="compose-box">
      {saved.isOpen && (
        <Suspense>
          <SavedList saved={saved} />
        </Suspense>
      )}
      <textarea
        ref={area}
        rows={2}
        dir="auto"
        aria-label={words.messageTo(name)}
        placeholder={words.messageHint(name)}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onSelect={saved.onSelect}
        onBlur={saved.onBlur}
        onKeyDown={onKeyDown}
        aria-invalid={over > 0 ? true : undefined}
        data-composer=""
        data-pane-focus=""
        {...saved.fieldProps}
      />
      <div className="compose-foot">
        {choice}
        <DraftStatus over={over} hasText={text !== ''} />
        <span className="small faint only-wide saved-hint">
          <Kbd press="/" /> {teamWords.savedRepliesHint}
        </span>
        <Button look="primary" size="sm" className="compose-foot-send" onClick={send} aria-disabled={!canSend}>
          {words.send} <Kbd press="Enter" className="only-wide" />
        </Button>
      </div>
    </div>
  )
}

function DraftStatus({ over, hasText }: { over: number; hasText: boolean }) {
  if (over > 0) {
    return (
      <span className="small fail" role="status">
        {words.tooLong(formatSize(over))}
      </span>
    )
  }
  return hasText && <span className="small faint">{words.draftKept}</span>
}
