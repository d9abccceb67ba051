import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import type { ClipboardEvent } from 'react'
import { useAttachment, useStores } from '../data/stores.ts'
import { useDrop } from './use-drop.ts'

/** The file of a reply that is being written: chosen, dropped or pasted. `mostBytes`: null where the way takes none. */
export function useFiles(contactId: string, way: ReplyWay | undefined) {
  const { attachments } = useStores()
  const { attached, fault } = useAttachment(contactId)
  const isOpen = way !== undefined && way.whyNot === null
  const mostBytes = isOpen && way.fileBytes ? way.fileBytes.other : null
  const add = (files: readonly File[]) => way && attachments.attach(contactId, files, way)
  return {
    attached,
    fault,
    mostBytes,
    add,
    isOver: useDrop(isOpen ? add : undefined) && mostBytes !== null,
    toSend: attached?.state === 'ready' ? attached.file : undefined,
    /** There is none, or it can be sent. */
    isReady: attached === undefined || (attached.state === 'ready' && mostBytes !== null),
    /** It was attached for another way. */
    isRefused: attached !== undefined && isOpen && mostBytes === null,
    onPaste: (event: ClipboardEvent) => {
      const { files, types } = event.clipboardData
      // What office programs copy is a text, and a picture of it besides.
      if (!isOpen || files.length === 0 || types.includes('text/plain')) return
      event.preventDefault()
      add([...files])
    },
  }
}
