import './dialog.css'
import { lazy, Suspense } from 'react'
import type { DialogProps } from './dialog-overlay.tsx'

const DialogOverlay = lazy(() =>
  import('./dialog-overlay.tsx').then(({ DialogOverlay }) => ({ default: DialogOverlay })),
)

/** A modal window, for what cannot stand in its place. Render it while it is open. */
export function Dialog(props: DialogProps) {
  return (
    <Suspense>
      <DialogOverlay {...props} />
    </Suspense>
  )
}
