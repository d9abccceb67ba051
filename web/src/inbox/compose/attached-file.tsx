import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import FileText from 'lucide-react/icons/file-text'
import ImageIcon from 'lucide-react/icons/image'
import Paperclip from 'lucide-react/icons/paperclip'
import X from 'lucide-react/icons/x'
import { useRef } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'
import { Progress } from '../../ui/progress.tsx'
import { formatSize } from '../thread/format-size.ts'
import { type Attached, formatMost, takeAway, useAttached } from './attached-files.ts'
import { nameOfWay } from './reply-ways.ts'
import { composeWords as words } from './words.ts'

/** Opens the choice of a file. */
export function AttachButton({ mostBytes, onFiles }: { mostBytes: number; onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const label = words.attach(formatMost(mostBytes))
  return (
    <>
      <IconButton label={label} small onClick={() => input.current?.click()}>
        <Paperclip className="i" />
      </IconButton>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          target.value = '' // the same file can be chosen again
        }}
      />
    </>
  )
}

/** What is attached, and what is wrong with it. */
export function AttachedPart({ contactId, way }: { contactId: string; way: ReplyWay | undefined }) {
  const { attached, fault } = useAttached(contactId)
  const isRefused = attached !== null && way !== undefined && way.whyNot === null && way.fileBytes === null
  const says = isRefused ? words.noFiles(nameOfWay(way)) : fault
  return (
    <>
      {attached && <AttachedRow attached={attached} onRemove={() => takeAway(contactId)} />}
      {says !== null && (
        <p className="compose-note fail" role="alert">
          {says}
        </p>
      )}
    </>
  )
}

/** Its name and size, how far it is, and a way to take it away. */
function AttachedRow({ attached, onRemove }: { attached: Attached; onRemove: () => void }) {
  const { name, sizeBytes, isPicture, state } = attached
  const Icon = isPicture ? ImageIcon : FileText
  return (
    <fieldset className="attached" aria-label={words.attached}>
      <Icon className="i" />
      <span className="attached-what">
        <bdi className="strong cut">{name}</bdi>
        {state === 'ready' ? (
          <span className="small muted">{formatSize(sizeBytes)}</span>
        ) : (
          <Uploading name={name} done={attached.sentBytes} all={sizeBytes} />
        )}
      </span>
      <IconButton label={words.takeAway(name)} small onClick={onRemove}>
        <X className="i" />
      </IconButton>
    </fieldset>
  )
}

function Uploading({ name, done, all }: { name: string; done: number; all: number }) {
  const says = words.uploaded(formatSize(done), formatSize(all))
  return (
    <>
      <Progress label={words.uploading(name)} done={done} all={all} says={says} />
      <span className="small muted">{says}</span>
    </>
  )
}
