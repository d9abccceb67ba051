import type { Message } from '@patchbay/contract/app/messages.ts'
import Clock from 'lucide-react/icons/clock'
import Download from 'lucide-react/icons/download'
import FileText from 'lucide-react/icons/file-text'
import FileX from 'lucide-react/icons/file-x'
import ImageOff from 'lucide-react/icons/image-off'
import { useState } from 'react'
import { inboxWords as words } from '../words.ts'
import { channelWords } from './channel-words.ts'
import { formatContentType, formatSize } from './format-size.ts'

type File = NonNullable<Message['file']>

/** Only our stored copy is ever shown or downloaded, never the address it came from. */
export function Attachment({ messageId, file, isSticker }: { messageId: string; file: File; isSticker: boolean }) {
  const [isBroken, setBroken] = useState(false)
  const address = `/api/media/${encodeURIComponent(messageId)}`
  if (file.state !== 'stored') return <NotThere file={file} state={file.state} />
  const size = file.sizeBytes === null ? '' : formatSize(file.sizeBytes)
  if (file.isPicture && isSticker && !isBroken) {
    return (
      <img
        className="sticker"
        src={address}
        alt={channelWords.sticker}
        loading="lazy"
        onError={() => setBroken(true)}
      />
    )
  }
  if (file.isPicture && !isBroken) {
    return (
      <a
        className="photo"
        href={address}
        target="_blank"
        rel="noopener noreferrer"
        aria-label={words.pictureOf(size)}
        title={words.pictureOf(size)}
      >
        <img src={address} alt={words.picture} loading="lazy" decoding="async" onError={() => setBroken(true)} />
      </a>
    )
  }
  const type = formatContentType(file.contentType)
  return (
    <a className="file" href={address} download>
      <FileText className="i" />
      <div className="grow">
        <div className="strong cut">
          <bdi>{file.fileName ?? type}</bdi>
        </div>
        <span className="small muted">{words.downloads(size)}</span>
      </div>
      <Download className="i" />
    </a>
  )
}

function NotThere({ file, state }: { file: File; state: Exclude<File['state'], 'stored'> }) {
  const { title, says } = words.fileStates[state]
  const about = [
    file.fileName ?? formatContentType(file.contentType),
    file.sizeBytes !== null && formatSize(file.sizeBytes),
  ]
  const isImage = file.contentType.startsWith('image/')
  const Icon = state === 'not fetched yet' ? Clock : isImage ? ImageOff : FileX
  return (
    <div className="file">
      <Icon className="i" />
      <div className="grow">
        <div className="strong">{title}</div>
        <span className="small muted">
          <bdi>{about.filter(Boolean).join(', ')}</bdi> · {says}
        </span>
      </div>
    </div>
  )
}
