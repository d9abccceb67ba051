import './toast.css'
import { useEffect, useState } from 'react'
import { useCommands } from '../commands/commands.ts'
import { keyWords } from '../commands/words.ts'
import { useStore } from '../data/store.ts'
import { Kbd } from './kbd.tsx'
import { removeToast, type Toast, toasts } from './toast.ts'
import { uiWords } from './words.ts'

const shownMs = 6_000

/** Where toasts appear, and are read out. */
export function ToastRegion() {
  const all = useStore(toasts)
  const last = all.findLast((toast) => toast.undo)
  useCommands(
    last ? [{ id: 'undo', label: keyWords.undo, keys: 'z', group: keyWords.everywhere, run: () => undo(last) }] : [],
  )
  return (
    <section className="toasts" aria-label={uiWords.notifications} aria-live="polite">
      {all.map((toast) => (
        <ToastLine key={toast.id} toast={toast} hasKey={toast === last} />
      ))}
    </section>
  )
}

function ToastLine({ toast, hasKey }: { toast: Toast; hasKey: boolean }) {
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(() => removeToast(toast.id), shownMs)
    return () => clearTimeout(timer)
  }, [isHeld, toast.id])
  const Icon = toast.icon
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only waits while somebody is at it
    <div
      className="toast"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {Icon && <Icon className="i" />}
      <span>{toast.text}</span>
      {toast.undo && (
        <button type="button" className="link" onClick={() => undo(toast)}>
          {toast.undo.label ?? uiWords.undo}
        </button>
      )}
      {hasKey && <Kbd press="z" className="only-wide" />}
    </div>
  )
}

function undo(toast: Toast): void {
  removeToast(toast.id)
  toast.undo?.run()
}
