import type { Me } from '@patchbay/contract/app/session.ts'
import { useEffect, useEffectEvent } from 'react'
import { call, onSessionChange } from '../data/api.ts'

/**
 * Tells when this browser is signed in by another tab: this one need not ask again. Also when it is looked at, since a tab
 * that a browser has frozen hears nothing. The server refuses if this page was another user's before.
 */
export function useSignedInElsewhere(tell: (me: Me) => void): void {
  const tellNow = useEffectEvent(tell)
  useEffect(() => {
    const look = () => void call('GET /api/session').then(tellNow, () => {}) // refused: the form stays
    const whenShown = () => document.visibilityState === 'visible' && look()
    const stop = onSessionChange(look)
    document.addEventListener('visibilitychange', whenShown)
    return () => {
      stop()
      document.removeEventListener('visibilitychange', whenShown)
    }
  }, [])
}
