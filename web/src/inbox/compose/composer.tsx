import { limits } from '@patchbay/contract/limits.ts'
import { type KeyboardEvent, useLayoutEffect, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { inboxWords as words } from '../../words/inbox.ts'
import { useDraft, useStores } from '../data/stores.ts'
import type { LoadedThread } from '../data/thread-cache.ts'
import { saySize } from '../thread/say-size.ts'

/** Where a reply is written. What is begun is kept for each conversation; Enter sends, Shift and Enter begin a new line. */
export function Composer({
  contactId,
  name,
  thread,
}: {
  contactId: string
  name: string
  thread: LoadedThread | undefined
}) {
  const { drafts, queue } = useStores()
  const text = useDraft(contactId)
  const area = useRef<HTMLTextAreaElement>(null)
  useGrow(area, text)
  const over = new TextEncoder().encode(text).length - limits.bodyBytes
  const canSend = text.trim() !== '' && over <= 0
  const send = () => {
    if (!canSend) return
    queue.add({ contactId, body: text.trim(), afterSeq: thread?.messages.at(-1)?.seq ?? 0 })
    drafts.set(contactId, '')
    area.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // While a word is being composed Enter takes it, as in Japanese.
    if (event.key !== 'Enter' || event.shiftKey || event.altKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <div className="compose-box">
      <textarea
        ref={area}
        rows={2}
        dir="auto"
        aria-label={words.messageTo(name)}
        placeholder={words.messageHint(name)}
        value={text}
        onChange={(event) => drafts.set(contactId, event.target.value)}
        onKeyDown={onKeyDown}
        aria-invalid={over > 0 ? true : undefined}
        data-composer=""
        data-pane-focus=""
      />
      <div className="compose-foot">
        {over > 0 ? (
          <span className="small fail" role="status">
            {words.tooLong(saySize(over))}
          </span>
        ) : (
          text !== '' && <span className="small faint">{words.draftKept}</span>
        )}
        <Button look="primary" size="sm" className="send" onClick={send} aria-disabled={!canSend}>
          {words.send} <Kbd press="Enter" className="only-wide" />
        </Button>
      </div>
    </div>
  )
}

/** As high as its text, up to a limit of the style sheet. */
function useGrow(area: { current: HTMLTextAreaElement | null }, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const element = area.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [area, text])
}
