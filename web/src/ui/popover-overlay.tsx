import { Dialog } from '@ariakit/react/dialog'
import { Popover as AriakitPopover, usePopoverStore } from '@ariakit/react/popover'
import type { ReactNode, RefObject } from 'react'
import { isNarrow, overlayRoot } from './overlays.ts'
import { useAnchored } from './use-anchored.ts'
import { useChoices } from './use-choices.ts'

type Props = {
  label: string
  side: 'start' | 'end'
  anchor: RefObject<HTMLElement | null>
  onClose: () => void
  children: ReactNode
}

export function PopoverOverlay(props: Props) {
  return isNarrow() ? <BottomSheet {...props} /> : <AnchoredPopover {...props} />
}

function AnchoredPopover({ label, side, anchor, onClose, children }: Props) {
  const setOpen = (isOpen: boolean) => !isOpen && onClose()
  const store = usePopoverStore({ open: true, setOpen, placement: `bottom-${side}` })
  useAnchored(store, anchor)
  return (
    <AriakitPopover
      {...useChoices()}
      store={store}
      className="popover"
      aria-label={label}
      gutter={6}
      portal
      portalElement={overlayRoot}
    >
      {children}
    </AriakitPopover>
  )
}

/** The sheet is no popover without a position: the box that places a popover would hold it too. */
function BottomSheet({ label, anchor, onClose, children }: Props) {
  return (
    <Dialog
      {...useChoices()}
      open
      onClose={onClose}
      className="popover"
      data-sheet=""
      aria-label={label}
      portalElement={overlayRoot}
      finalFocus={anchor}
      backdrop={<div className="overlay-scrim" />}
    >
      {children}
    </Dialog>
  )
}
