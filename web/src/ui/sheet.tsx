import './sheet.css'
import X from 'lucide-react/icons/x'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { IconButton } from './icon-button.tsx'
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
  const id = useId()
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    const before = document.activeElement
    panel.current?.focus()
    return () => {
      if (before instanceof HTMLElement && (document.activeElement === document.body || !document.activeElement)) {
        before.focus()
      }
    }
  }, [])
  return (
    <section
      className="sheet"
      role="dialog"
      aria-labelledby={id}
      tabIndex={-1}
      ref={panel}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) onClose()
      }}
    >
      <header>
        <h2 className="h-section grow cut" id={id}>
          {title}
        </h2>
        <IconButton label={uiWords.close} onClick={onClose}>
          <X className="i" />
        </IconButton>
      </header>
      <div className="body">{children}</div>
      {footer && <footer>{footer}</footer>}
    </section>
  )
}
