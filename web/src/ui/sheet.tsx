import './sheet.css'
import { Dialog, DialogDismiss, DialogHeading } from '@ariakit/react/dialog'
import X from 'lucide-react/icons/x'
import { type ReactNode, useRef } from 'react'
import { uiWords } from './words.ts'

/** A panel at the right edge. It is not modal: the page behind stays live. Escape closes it and gives the focus back. */
export function Sheet({
  title,
  onClose,
  footer,
  children,
}: {
  title: string
  onClose: () => void
  footer?: ReactNode
  children: ReactNode
}) {
  const panel = useRef<HTMLDivElement>(null)
  return (
    <Dialog
      open
      modal={false}
      hideOnInteractOutside={false}
      onClose={onClose}
      ref={panel}
      className="sheet"
      initialFocus={panel}
      autoFocusOnShow={() => !panel.current?.contains(document.activeElement)} // unless a form has taken the focus already
      render={<section />}
    >
      <header>
        <DialogHeading className="h-section grow cut" render={({ children, ...rest }) => <h2 {...rest}>{children}</h2>}>
          {title}
        </DialogHeading>
        <DialogDismiss className="icon-btn" title={uiWords.close} aria-label={uiWords.close}>
          <X className="i" />
        </DialogDismiss>
      </header>
      <div className="sheet-body">{children}</div>
      {footer && <footer>{footer}</footer>}
    </Dialog>
  )
}
