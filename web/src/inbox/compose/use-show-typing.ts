import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import { useRef } from 'react'
import { call } from '../../data/api.ts'

/** The sign lasts for a moment longer where it is shown. */
const everyMs = 4_000

/** Returns what shows a visitor of a website that somebody writes to them. What fails is left out: nothing depends on it. */
export function useShowTyping(contactId: string, way: ReplyWay | undefined): () => void {
  const shownAt = useRef({ contactId, at: Number.NEGATIVE_INFINITY })
  return () => {
    if (!way?.visitor || way.whyNot !== null) return
    const { current: last } = shownAt
    const now = performance.now()
    if (last.contactId === contactId && now - last.at < everyMs) return
    shownAt.current = { contactId, at: now }
    const { channelId } = way
    call('POST /api/conversations/:contactId/typing', { params: { contactId }, body: { channelId } }).catch(() => {})
  }
}
