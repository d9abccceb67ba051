import './dialog.css'
import { lazy, type ReactNode, Suspense } from 'react'

const DialogFloat = lazy(() => import('./dialog-float.tsx').then(({ DialogFloat }) => ({ default: DialogFloat })))

export type DialogProps = {
  title: string
  onClose: () => void
  /** The buttons; the one that acts comes first. */
  footer?: ReactNode
  children: ReactNode
}

/** A modal window, for what cannot stand in its place. Render it while it is open. */
export function Dialog(props: DialogProps) {
  return (
    <Suspense>
      <DialogFloat {...props} />
    </Suspense>
  )
}
