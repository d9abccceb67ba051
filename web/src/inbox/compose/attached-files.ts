import type { AttachedFile, ReplyWay } from '@patchbay/contract/app/messages.ts'
import { call, upload } from '../../data/api.ts'
import { createStore, useStore } from '../../data/store.ts'
import { sayError } from '../../ui/error-state.tsx'
import { formatSize } from '../thread/format-size.ts'
import { nameOfWay } from './reply-ways.ts'
import { composeWords as words } from './words.ts'

/** A file on its way to the server, or there and not sent yet. */
export type Attached = { name: string; sizeBytes: number; isPicture: boolean } & (
  | { state: 'uploading'; sentBytes: number; stop: () => void }
  | { state: 'ready'; file: AttachedFile }
)

type Kept = { attached: Attached | null; fault: string | null }

/** By conversation: who looks at another one and comes back finds the file there. */
const files = createStore<Readonly<Record<string, Kept>>>({})
const nothing: Kept = { attached: null, fault: null }

export function useAttached(contactId: string): Kept {
  return useStore(files)[contactId] ?? nothing
}

function change(contactId: string, kept: Partial<Kept>): void {
  const all = files.get()
  files.set({ ...all, [contactId]: { ...(all[contactId] ?? nothing), ...kept } })
}

/** Attaches the first of them, in place of what was attached before. What the way would refuse is said and not uploaded. */
export function attach(contactId: string, given: readonly File[], way: ReplyWay): void {
  const [chosen] = given
  if (!chosen) return
  const fault = faultOf(chosen, way)
  if (fault !== null) {
    change(contactId, { fault })
    return
  }
  takeAway(contactId)
  change(contactId, { fault: given.length > 1 ? words.oneFile : null })
  void send(contactId, chosen)
}

function faultOf({ name, size, type }: File, way: ReplyWay): string | null {
  const limits = way.fileBytes
  if (limits === null) return words.noFiles(nameOfWay(way))
  if (size === 0) return words.empty(name)
  const most = isShownAsPicture(type) ? limits.picture : limits.other
  return size <= most ? null : words.tooLarge(name, formatSize(size), formatMost(most), nameOfWay(way))
}

/** Limits are powers of two, and people count in tens: 10 MB. */
export function formatMost(bytes: number): string {
  return `${Math.floor(bytes / 1_048_576)} MB`
}

/** Formats that a browser shows and that have no script. */
function isShownAsPicture(type: string): boolean {
  return /^image\/(png|jpeg|gif|webp|avif)$/.test(type)
}

async function send(contactId: string, chosen: File): Promise<void> {
  const stopping = new AbortController()
  const what = { name: chosen.name, sizeBytes: chosen.size, isPicture: isShownAsPicture(chosen.type) }
  const show = (sentBytes: number) =>
    change(contactId, { attached: { ...what, state: 'uploading', sentBytes, stop: () => stopping.abort() } })
  show(0)
  try {
    const file = await upload(
      'POST /api/conversations/:contactId/files',
      {
        bytes: chosen,
        onProgress: (sentBytes) => !stopping.signal.aborted && show(sentBytes),
        signal: stopping.signal,
      },
      {
        params: { contactId },
        query: { fileName: chosen.name.slice(-256), ...(chosen.type && { contentType: chosen.type }) },
      },
    )
    if (stopping.signal.aborted) forgetOnServer(contactId, file.id)
    else change(contactId, { attached: { ...what, state: 'ready', file } })
  } catch (error) {
    if (stopping.signal.aborted) return
    change(contactId, { attached: null, fault: `${words.notUploaded(chosen.name)} ${sayError(error).title}` })
  }
}

/** The file leaves the composer: it was sent. */
export function letGo(contactId: string): void {
  change(contactId, nothing)
}

/** Nobody sends it: it goes from the server too. */
export function takeAway(contactId: string): void {
  const { attached } = files.get()[contactId] ?? nothing
  letGo(contactId)
  if (attached?.state === 'uploading') attached.stop()
  if (attached?.state === 'ready') forgetOnServer(contactId, attached.file.id)
}

/** If it is not reached, the file goes there by its age. */
function forgetOnServer(contactId: string, fileId: string): void {
  void call('DELETE /api/conversations/:contactId/files/:fileId', { params: { contactId, fileId } }).catch(() => {})
}
