import './dialog.css'
import { lazy, Suspense } from 'react'
import type { DialogProps } from './dialog-float.tsx'

const DialogFloat = lazy(() => import('./dialog-float.tsx').then(({ DialogFloat }) => ({ default: DialogFloat })))

/** A modal window, for what cannot stand in its place. Render it while it is open. */
export function Dialog(props: DialogProps) {
  return (
    <Suspense>
      <DialogFloat {...props} />
    </Suspense>
  )
}
