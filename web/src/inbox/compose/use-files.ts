import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import type { ClipboardEvent } from 'react'
import { attach, useAttached } from './attached-files.ts'
import { useDrop } from './use-drop.ts'

/** The file of a reply that is being written: chosen, dropped or pasted. `mostBytes`: null where the way takes none. */
export function useFiles(contactId: string, way: ReplyWay | undefined) {
  const { attached } = useAttached(contactId)
  const mostBytes = way && way.whyNot === null && way.fileBytes ? way.fileBytes.other : null
  const add = (files: File[]) => way && attach(contactId, files, way)
  const drop = useDrop(mostBytes !== null, add)
  return {
    attached,
    mostBytes,
    add,
    isOver: drop.isOver,
    dropHandlers: drop.handlers,
    /** There is none, or it can be sent. */
    isReady: attached === null || (attached.state === 'ready' && mostBytes !== null),
    toSend: attached?.state === 'ready' ? { id: attached.file.id, name: attached.file.fileName } : undefined,
    onPaste: (event: ClipboardEvent) => {
      const files = [...event.clipboardData.files]
      if (mostBytes === null || files.length === 0) return
      event.preventDefault()
      add(files)
    },
  }
}
