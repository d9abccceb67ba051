import type { ChatFile, ChatPost } from '@patchbay/contract/chat/protocol.ts'
import { chatLimits } from '@patchbay/contract/chat/protocol.ts'
import { subjectOf } from '../page/bearers.ts'
import { isRefused, type Refused } from '../page/request.ts'
import { type Failure, lastOf, type Pending } from '../state.ts'
import { sayFailure } from '../view/log-row.ts'
import { takeReason } from './reading.ts'
import { act, type Talk } from './talk.ts'

const againMs = [1_000, 2_000, 5_000, 10_000, 20_000, 40_000, 60_000]
const slowDownMs = 10_000

export type Sending = ReturnType<typeof openSending>

/** Sends what was written, one after the other, each by its own id for as often as it takes. */
export function openSending(talk: Talk) {
  let isAtWork = false
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Of those that were told to slow down: once they are tried again by themselves. */
  const slowed = new Set<string>()
  const later = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => void pump(), ms)
  }
  const pump = async () => {
    if (isAtWork || talk.isAsleep) return
    isAtWork = true
    try {
      for (;;) {
        const pending = talk.state.pending.find(({ is }) => is !== 'failed')
        if (!pending || talk.isAsleep) return
        if (talk.state.refusal === 'identity_expired') return letWait(talk)
        const restMs = (pending.againAt ?? 0) - Date.now()
        if (restMs > 0) return later(restMs)
        const waitMs = await attempt(pending)
        if (waitMs > 0) return later(waitMs)
      }
    } finally {
      isAtWork = false
    }
  }
  /** Returns how long to wait until anything is sent again. */
  const attempt = async (pending: Pending): Promise<number> => {
    try {
      await sendOne(talk, pending)
      failures = 0
      return 0
    } catch (error) {
      if (!talk.state.pending.some(({ id }) => id === pending.id)) return 0 // it was stopped
      if (isRefused(error) && error.status < 500) return refused(talk, pending, { error, slowed })
      failures += 1
      act(talk, { is: 'pending', id: pending.id, change: { is: 'waits', sentBytes: 0 } })
      if (!isRefused(error)) act(talk, { is: 'reached', isReached: false })
      return againMs[Math.min(failures, againMs.length) - 1] ?? 0
    }
  }
  const online = () => {
    failures = 0
    void pump()
  }
  window.addEventListener('online', online, { signal: talk.shell.end })
  return {
    pump,
    retry: (id: string) => {
      slowed.delete(id)
      act(talk, { is: 'pending', id, change: { is: 'sending', why: null, againAt: null } })
      void pump()
    },
  }
}

/** For the next token. */
function letWait(talk: Talk): void {
  for (const { id, is } of talk.state.pending)
    if (is === 'sending') act(talk, { is: 'pending', id, change: { is: 'waits' } })
}

export function write(talk: Talk, written: { text: string; choice?: string; file?: File }): void {
  const { text, choice, file } = written
  const id = crypto.randomUUID ? crypto.randomUUID() : newUuid()
  const isTooLarge = file !== undefined && file.size > chatLimits.fileBytes
  const pending: Pending = {
    id,
    text,
    choice: choice ?? null,
    at: Date.now(),
    file: file ? { name: file.name, contentType: file.type, sizeBytes: file.size } : null,
    fileId: null,
    sentBytes: 0,
    is: isTooLarge ? 'failed' : 'sending',
    why: isTooLarge ? 'too large' : null,
    againAt: null,
  }
  if (file && !isTooLarge) talk.files.set(id, { file, stop: new AbortController() })
  act(talk, { is: 'written', pending })
  if (isTooLarge) talk.view.alert(talk.words.tooLarge)
  talk.view.log.scrollTop = talk.view.log.scrollHeight
}

/** On pages without https, which are only those of this machine, there is no `randomUUID`. */
function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 15) | 64
  bytes[8] = ((bytes[8] ?? 0) & 63) | 128
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

export function drop(talk: Talk, id: string): void {
  talk.files.get(id)?.stop.abort()
  talk.files.delete(id)
  act(talk, { is: 'dropped', id })
}

async function sendOne(talk: Talk, pending: Pending): Promise<void> {
  const { shell, source } = talk
  const { memory } = shell
  const { id } = pending
  if (!memory.isMember()) memory.makeKey('')
  act(talk, { is: 'pending', id, change: { is: 'sending', againAt: null } })
  const fileId = pending.fileId ?? (await uploaded(talk, pending))
  const key = memory.untoldKey()
  const asking = shell.bearer()
  const before = lastOf(talk.state)
  const posted = await source.send(postOf(talk, { ...pending, fileId }, key))
  if (shell.bearer() !== asking) return // of somebody else by now, who is shown nothing of it
  if (key !== undefined) {
    memory.makeKey(subjectOf(memory.tab.token))
    memory.told()
  }
  const file = fileOf(pending)
  talk.files.delete(id)
  act(talk, { is: 'sent', id, posted, file })
  act(talk, { is: 'reached', isReached: true })
  memory.saveThread({ at: posted.at, waits: Date.now(), isKnown: true })
  shell.tabs.say({ is: 'message', message: { ...posted, id, file, from: 'visitor', name: null, choices: [] }, before })
  shell.tell('sent', undefined)
  talk.sent(before === 0)
}

/** Shown as it was here until the server's own word of it comes. */
function fileOf({ file }: Pending): ChatFile | null {
  return file && { ...file, url: null, isPicture: false }
}

function postOf({ shell }: Talk, { id, text, choice, fileId }: Pending, browser: string | undefined): ChatPost {
  const { settings, language } = shell
  const page = settings.tellsPage ? `${location.origin}${location.pathname}`.slice(0, chatLimits.pageCharacters) : ''
  return {
    id,
    text,
    language,
    ...(choice === null ? {} : { choice }),
    ...(fileId === null ? {} : { fileId }),
    ...(page === '' ? {} : { page }),
    ...(browser === undefined ? {} : { browser }),
  }
}

async function uploaded(talk: Talk, { id, file }: Pending): Promise<string | null> {
  if (!file) return null
  const kept = talk.files.get(id)
  if (!kept) throw Object.assign(new Error('the file is gone'), { status: 400, reason: 'lost', againMs: undefined })
  const tell = (sentBytes: number) => act(talk, { is: 'pending', id, change: { sentBytes } })
  const { fileId } = await talk.source.upload(kept.file, tell, kept.stop.signal)
  act(talk, { is: 'pending', id, change: { fileId } })
  return fileId
}

type Slowed = { error: Refused; slowed: Set<string> }

function refused(talk: Talk, pending: Pending, { error, slowed }: Slowed): number {
  const { id } = pending
  if (error.status === 429 && !slowed.has(id)) {
    slowed.add(id)
    const waitMs = error.againMs ?? slowDownMs
    act(talk, { is: 'pending', id, change: { is: 'waits', againAt: Date.now() + waitMs, sentBytes: 0 } })
    if (error.reason === 'full') takeReason(talk, 'full')
    return waitMs
  }
  if (error.reason === 'identity_expired') {
    act(talk, { is: 'pending', id, change: { is: 'waits', sentBytes: 0 } })
    takeReason(talk, 'identity_expired')
    return 0
  }
  if (error.reason === 'ended' && !slowed.has(id)) {
    slowed.add(id) // once: a new key cannot have ended
    takeReason(talk, 'ended')
    return 0
  }
  const why = failureOf(error, pending)
  act(talk, { is: 'pending', id, change: { is: 'failed', why, sentBytes: 0 } })
  talk.view.alert(sayFailure({ why }, talk.words))
  if (error.reason && error.reason !== 'ended') takeReason(talk, error.reason)
  return 0
}

function failureOf({ status, reason }: Refused, { file, fileId }: Pending): Failure {
  if ((reason as unknown) === 'lost') return 'lost'
  if (status === 413) return file ? 'too large' : 'too long'
  if (status === 429) return reason === 'full' ? 'full' : 'slow down'
  return file && fileId === null && (status === 400 || status === 415 || status === 422) ? 'type' : 'refused'
}
