import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Kbd } from '../../ui/kbd.tsx'
import { useDraft, useStores } from '../data/stores.ts'
import type { LoadedThread } from '../data/thread-cache.ts'
import { teamWords } from '../team/words.ts'
import { formatSize } from '../thread/format-size.ts'
import { inboxWords as words } from '../words.ts'
import { AttachButton, AttachedPart } from './attached-file.tsx'
import { isSend } from './is-send.ts'
import { ReplyBy } from './reply-by.tsx'
import { useReplyWays } from './reply-ways.ts'
import { Segments } from './segments.tsx'
import { useFiles } from './use-files.ts'
import { useGrow } from './use-grow.ts'
import { useSavedReplies } from './use-saved-replies.ts'
import { useShowTyping } from './use-show-typing.ts'

const SavedList = lazy(() => import('./saved-list.tsx').then(({ SavedList }) => ({ default: SavedList })))

type Props = {
  contactId: string
  name: string
  detail: ConversationDetail | undefined
  thread: LoadedThread | undefined
  /** The choice between reply and note. */
  choice: ReactNode
}

/** Where a reply is written. A slash at the start of a word offers saved replies. */
export function ReplyBox({ contactId, name, detail, thread, choice }: Props) {
  const { drafts, attachments, queue } = useStores()
  const text = useDraft(contactId)
  const area = useRef<HTMLTextAreaElement>(null)
  useGrow(area, text)
  const setText = (changed: string) => drafts.set(contactId, changed)
  const saved = useSavedReplies({ text, setText, area, firstName: detail?.contact.firstName ?? null })
  const by = useReplyWays(contactId, detail, thread)
  const files = useFiles(contactId, by.way)
  const showTyping = useShowTyping(contactId, by.way)
  const { over, canSend } = lookAt(text, files, by.way)
  const send = () => {
    if (!canSend) return
    queue.add({
      contactId,
      body: text.trim(),
      channelId: by.isChosen ? by.way?.channelId : undefined,
      file: files.toSend,
      afterSeq: thread?.messages.at(-1)?.seq ?? 0,
    })
    setText('')
    by.forget()
    attachments.letGo(contactId)
    area.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (saved.onKeyDown(event) || !isSend(event)) return
    event.preventDefault()
    send()
  }
  return (
    <div className={classes('compose-box', files.isOver && 'takes-drop')}>
      <ReplyBy {...by} onChosen={() => area.current?.focus()} />
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
        onChange={(event) => {
          setText(event.target.value)
          if (event.target.value.trim() !== '') showTyping()
        }}
        onSelect={saved.onSelect}
        onBlur={saved.onBlur}
        onKeyDown={onKeyDown}
        onPaste={files.onPaste}
        aria-invalid={over > 0 ? true : undefined}
        data-composer=""
        data-pane-focus=""
        {...saved.fieldProps}
      />
      <Segments way={by.way} text={text} setText={setText} area={area} />
      <AttachedPart {...files} way={by.way} onRemove={() => attachments.takeAway(contactId)} />
      <Foot choice={choice} files={files} over={over} hasText={text !== ''} send={send} canSend={canSend} />
    </div>
  )
}

/** `over`: by how many bytes the text is too long. */
function lookAt(text: string, files: ReturnType<typeof useFiles>, way: ReplyWay | undefined) {
  const over = new TextEncoder().encode(text).length - limits.bodyBytes
  const canLeave = files.isReady && (way === undefined || way.whyNot === null)
  return { over, canSend: (text.trim() !== '' || files.attached !== undefined) && canLeave && over <= 0 }
}

type FootProps = {
  choice: ReactNode
  files: ReturnType<typeof useFiles>
  over: number
  hasText: boolean
  send: () => void
  canSend: boolean
}

function Foot({ choice, files, over, hasText, send, canSend }: FootProps) {
  return (
    <div className="compose-foot">
      {choice}
      {files.mostBytes !== null && <AttachButton mostBytes={files.mostBytes} onFiles={files.add} />}
      <DraftStatus over={over} hasText={hasText} />
      <span className="small faint only-wide saved-hint">
        <Kbd press="/" /> {teamWords.savedRepliesHint}
      </span>
      <Button look="primary" size="sm" className="compose-foot-send" onClick={send} aria-disabled={!canSend}>
        {words.send} <Kbd press="Enter" className="only-wide" />
      </Button>
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
