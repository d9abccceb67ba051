import type { AttachedFile, ReplyWay } from '@patchbay/contract/app/messages.ts'
import { isShownAsPicture } from './is-shown-as-picture.ts'
import type { KeptRecords } from './kept-records.ts'
import { composeWords as words } from './words.ts'

type About = { name: string; sizeBytes: number; isPicture: boolean }

/** A file that is with the server and was not sent yet. */
export type ReadyFile = About & {
  id: string
  /** When the server deletes it, in milliseconds, by the clock of this browser. */
  goodUntil: number
}

/** `failed`: it is not with the server; `again` where this page still has it. */
export type Attached = About &
  (
    | { state: 'ready'; file: ReadyFile }
    | { state: 'uploading'; sentBytes: number }
    | { state: 'failed'; because: string; again: (() => void) | undefined }
  )

/** `fault`: why a file was not taken. */
type Attachment = { attached: Attached | undefined; fault: string | undefined }

/** The files of replies that are being written, one for each conversation. */
export type Attachments = {
  get: (contactId: string) => Attachment
  /** Attaches the first of them, in place of what was attached before. What the way would refuse is said and not uploaded. */
  attach: (contactId: string, given: readonly File[], way: ReplyWay) => void
  /** Attaches what was with a reply that was refused. What is attached meanwhile stays. */
  putBack: (contactId: string, file: ReadyFile) => void
  /** Nobody sends it: it goes from the server too. */
  takeAway: (contactId: string) => void
  /** It was sent. */
  letGo: (contactId: string) => void
  subscribe: (listener: () => void) => () => void
}

export type AttachmentParts = {
  kept: KeptRecords
  post: (
    contactId: string,
    chosen: File,
    how: { onProgress: (sentBytes: number) => void; signal: AbortSignal },
  ) => Promise<AttachedFile>
  /** Deletes it on the server. If that is not reached, the file goes there by its age. */
  drop: (contactId: string, fileId: string) => void
  /** Why a file cannot be sent by this way; undefined: it can. */
  whyNot: (chosen: File, way: ReplyWay) => string | undefined
  sayError: (error: unknown) => string
}

const nothing: Attachment = { attached: undefined, fault: undefined }

/** The server deletes a file after an hour. A reply needs a moment to get there. */
const goodForMs = 59 * 60_000

/** As with drafts, what is with the server outlives the page and is in every tab. */
export function openAttachments({ kept, post, drop, whyNot, sayError }: AttachmentParts): Attachments {
  const shown = openShown()
  const uploads = openUploads({ post, drop })
  const fail = (contactId: string, about: About, because: string, chosen: File | undefined) => {
    shown.show(contactId, { state: 'failed', ...about, because, again: chosen && (() => send(contactId, chosen)) })
  }
  const showReady = (contactId: string, file: ReadyFile, chosen?: File) => {
    const about = aboutOf(file)
    shown.show(contactId, { state: 'ready', ...about, file })
    const end = () => {
      if (shown.readyOf(contactId)?.id !== file.id) return
      kept.remove(contactId)
      fail(contactId, about, words.tooOld, chosen)
    }
    setTimeout(end, Math.max(0, file.goodUntil - Date.now()))
  }
  const keepReady = (contactId: string, file: ReadyFile, chosen?: File) => {
    kept.write(contactId, JSON.stringify(file))
    showReady(contactId, file, chosen)
  }
  const send = (contactId: string, chosen: File) => {
    const about = { name: chosen.name, sizeBytes: chosen.size, isPicture: isShownAsPicture(chosen.type) }
    void uploads.start(contactId, chosen, {
      progress: (sentBytes) => shown.show(contactId, { state: 'uploading', ...about, sentBytes }),
      ready: (file) => keepReady(contactId, { ...file, goodUntil: Date.now() + goodForMs }, chosen),
      failed: (error) => fail(contactId, about, sayError(error), chosen),
    })
  }
  const letGo = (contactId: string) => {
    uploads.stop(contactId)
    kept.remove(contactId)
    shown.clear(contactId)
  }
  const takeAway = (contactId: string) => {
    const file = shown.readyOf(contactId)
    letGo(contactId)
    if (file) drop(contactId, file.id)
  }
  for (const [contactId, text] of kept.readAll()) for (const file of parse(text)) showReady(contactId, file)
  kept.onChange((contactId, text) => {
    // One whose time is over is taken from the records too: that is said in every tab.
    if (text === null && (shown.readyOf(contactId)?.goodUntil ?? 0) > Date.now()) shown.clear(contactId)
    for (const file of parse(text)) showReady(contactId, file)
  })
  return {
    get: shown.get,
    subscribe: shown.subscribe,
    letGo,
    takeAway,
    attach: (contactId, [chosen, ...others], way) => {
      if (!chosen) return
      const fault = whyNot(chosen, way)
      if (fault !== undefined) return shown.refuse(contactId, fault)
      takeAway(contactId)
      if (others.length > 0) shown.refuse(contactId, words.oneFile)
      send(contactId, chosen)
    },
    putBack: (contactId, file) => {
      if (!shown.get(contactId).attached) return keepReady(contactId, file)
      drop(contactId, file.id)
      shown.refuse(contactId, words.leftOut(file.name))
    },
  }
}

function aboutOf({ name, sizeBytes, isPicture }: About): About {
  return { name, sizeBytes, isPicture }
}

/** What the composers show. */
function openShown() {
  const all = new Map<string, Attachment>()
  const listeners = new Set<() => void>()
  const get = (contactId: string) => all.get(contactId) ?? nothing
  const change = (contactId: string, fields: Partial<Attachment>) => {
    all.set(contactId, { ...get(contactId), ...fields })
    for (const listener of listeners) listener()
  }
  return {
    get,
    readyOf: (contactId: string) => {
      const { attached } = get(contactId)
      return attached?.state === 'ready' ? attached.file : undefined
    },
    show: (contactId: string, attached: Attached) => change(contactId, { attached }),
    refuse: (contactId: string, fault: string) => change(contactId, { fault }),
    clear: (contactId: string) => change(contactId, nothing),
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

type Told = {
  progress: (sentBytes: number) => void
  ready: (file: Omit<ReadyFile, 'goodUntil'>) => void
  failed: (error: unknown) => void
}

/** Files on their way, one for each conversation. Nothing is told of one that was stopped. */
function openUploads({ post, drop }: Pick<AttachmentParts, 'post' | 'drop'>) {
  const running = new Map<string, AbortController>()
  const stop = (contactId: string) => running.get(contactId)?.abort()
  return {
    stop,
    start: async (contactId: string, chosen: File, tell: Told): Promise<void> => {
      stop(contactId)
      const stopping = new AbortController()
      running.set(contactId, stopping)
      const { signal } = stopping
      const onProgress = (sentBytes: number) => void (signal.aborted || tell.progress(sentBytes))
      onProgress(0)
      try {
        const { id, fileName, sizeBytes, isPicture } = await post(contactId, chosen, { onProgress, signal })
        if (signal.aborted) drop(contactId, id)
        else tell.ready({ id, name: fileName, sizeBytes, isPicture })
      } catch (error) {
        if (!signal.aborted) tell.failed(error)
      }
    },
  }
}

/** What another version of the app stored and this one cannot read is left alone. */
function parse(text: string | null): ReadyFile[] {
  try {
    const { id, name, sizeBytes = 0, isPicture = false, goodUntil } = JSON.parse(text ?? '{}') as Partial<ReadyFile>
    return id && name && goodUntil ? [{ id, name, sizeBytes, isPicture, goodUntil }] : []
  } catch {
    return []
  }
}
