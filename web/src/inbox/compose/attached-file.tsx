import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import FileText from 'lucide-react/icons/file-text'
import ImageIcon from 'lucide-react/icons/image'
import Paperclip from 'lucide-react/icons/paperclip'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import X from 'lucide-react/icons/x'
import { useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Progress } from '../../ui/progress.tsx'
import { formatSize } from '../thread/format-size.ts'
import type { Attached } from './attachments.ts'
import { formatMost } from './file-limits.ts'
import { nameOfWay } from './name-of-way.ts'
import type { useFiles } from './use-files.ts'
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

type PartProps = Pick<ReturnType<typeof useFiles>, 'attached' | 'fault' | 'isRefused'> & {
  way: ReplyWay | undefined
  onRemove: () => void
}

/** What is attached, and what is wrong with it. */
export function AttachedPart({ attached, fault, isRefused, way, onRemove }: PartProps) {
  const says = isRefused && way ? `${words.noFiles(nameOfWay(way))} ${words.otherWay}` : fault
  return (
    <>
      {attached && <AttachedRow attached={attached} onRemove={onRemove} />}
      {says !== undefined && (
        <p className="compose-note fail" role="alert">
          {says}
        </p>
      )}
    </>
  )
}

/** Its name and size, how far it is, and a way to take it away. */
function AttachedRow({ attached, onRemove }: { attached: Attached; onRemove: () => void }) {
  const { name, isPicture, state } = attached
  const Icon = state === 'failed' ? TriangleAlert : isPicture ? ImageIcon : FileText
  return (
    <fieldset className={classes('attached', state === 'failed' && 'fail')} aria-label={words.attached}>
      <Icon className="i" />
      <span className="attached-what">
        <bdi className="strong cut">{name}</bdi>
        <HowFar attached={attached} />
      </span>
      {state === 'failed' && attached.again && (
        <Button look="fail" size="sm" onClick={attached.again}>
          {words.tryAgain}
        </Button>
      )}
      <IconButton label={words.takeAway(name)} small onClick={onRemove}>
        <X className="i" />
      </IconButton>
    </fieldset>
  )
}

function HowFar({ attached }: { attached: Attached }) {
  const { name, sizeBytes, state } = attached
  if (state === 'ready') return <span className="small muted">{formatSize(sizeBytes)}</span>
  if (state === 'failed') {
    return (
      <span className="small" role="alert">
        {words.notAttached} {attached.because}
      </span>
    )
  }
  const says = words.uploaded(formatSize(attached.sentBytes), formatSize(sizeBytes))
  return (
    <>
      <Progress label={words.uploading(name)} done={attached.sentBytes} all={sizeBytes} says={says} />
      <span className="small muted">{says}</span>
    </>
  )
}
