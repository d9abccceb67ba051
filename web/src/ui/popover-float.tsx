import { Popover as AriakitPopover, usePopoverStore } from '@ariakit/react/popover'
import type { ReactNode, RefObject } from 'react'
import { floatRoot, isNarrow } from './floats.ts'
import { useAnchored } from './use-anchored.ts'

export function PopoverFloat({
  label,
  anchor,
  onClose,
  children,
}: {
  label: string
  anchor: RefObject<HTMLElement | null>
  onClose: () => void
  children: ReactNode
}) {
  const store = usePopoverStore({ open: true, setOpen: (isOpen) => !isOpen && onClose(), placement: 'bottom-end' })
  useAnchored(store, anchor)
  const narrow = isNarrow()
  return (
    <AriakitPopover
      store={store}
      className="popover"
      aria-label={label}
      gutter={6}
      portal
      portalElement={floatRoot}
      modal={narrow}
      backdrop={narrow && <div className="float-scrim" />}
      {...(narrow && { updatePosition: () => {}, 'data-sheet': '' })}
    >
      {children}
    </AriakitPopover>
  )
}
