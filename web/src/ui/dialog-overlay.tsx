import { Dialog as AriakitDialog, DialogDismiss, DialogHeading } from '@ariakit/react/dialog'
import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import { overlayRoot } from './overlays.ts'
import { uiWords } from './words.ts'

export type DialogProps = {
  title: string
  onClose: () => void
  /** The buttons; the one that acts comes first. */
  footer?: ReactNode
  children: ReactNode
}

export function DialogOverlay({ title, onClose, footer, children }: DialogProps) {
  return (
    <AriakitDialog
      open
      onClose={onClose}
      className="dialog"
      portalElement={overlayRoot}
      backdrop={<div className="overlay-scrim" />}
    >
      <header>
        <DialogHeading className="h-section grow" render={({ children, ...rest }) => <h2 {...rest}>{children}</h2>}>
          {title}
        </DialogHeading>
        <DialogDismiss className="icon-btn" aria-label={uiWords.close}>
          <X className="i" />
        </DialogDismiss>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is longer than the window is scrolled by keyboard too */}
      <section className="dialog-body" tabIndex={0} aria-label={title}>
        {children}
      </section>
      {footer && <footer>{footer}</footer>}
    </AriakitDialog>
  )
}
