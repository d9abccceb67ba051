import { useEffect, useState } from 'react'
import { notices } from '../../notices/notice-switch.ts'
import { alertWords as words } from './words.ts'

type Permission = NotificationPermission | 'unsupported'

/** What the browser says about notifications, also after it is changed in its settings. `ask` is for a click alone. */
export function usePermission(): { permission: Permission; ask: () => Promise<void> } {
  const [permission, setPermission] = useState<Permission>(readPermission)
  useEffect(() => {
    const ending = new AbortController()
    const update = () => setPermission(readPermission())
    window.addEventListener('focus', update, { signal: ending.signal })
    void navigator.permissions
      ?.query({ name: 'notifications' })
      .then((status) => status.addEventListener('change', update, { signal: ending.signal }))
      .catch(() => {}) // it does not know this name
    return () => ending.abort()
  }, [])
  const ask = async () => {
    const answer = await Notification.requestPermission()
    setPermission(answer === 'granted' ? tryOut() : answer)
  }
  return { permission, ask }
}

function readPermission(): Permission {
  return 'Notification' in window ? Notification.permission : 'unsupported'
}

/** Browsers of phones have the permission, and no way for a page to notify. */
function tryOut(): Permission {
  try {
    new Notification(words.works, { tag: 'works' })
  } catch {
    return 'unsupported'
  }
  notices.set('on')
  return 'granted'
}
