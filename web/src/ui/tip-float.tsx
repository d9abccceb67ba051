import { Tooltip, useTooltipStore } from '@ariakit/react/tooltip'
import { type ReactNode, type RefObject, useLayoutEffect } from 'react'
import { floatRoot } from './floats.ts'
import { useAfter } from './use-after.ts'

/** Not at once: the pointer may be on its way to something else. */
const shownAfterMs = 350

export function TipFloat({
  anchor,
  onClose,
  children,
}: {
  anchor: RefObject<HTMLElement | null>
  onClose: () => void
  children: ReactNode
}) {
  const isAfter = useAfter(shownAfterMs)
  const store = useTooltipStore({ open: isAfter, setOpen: (isOpen) => !isOpen && onClose() })
  useLayoutEffect(() => store.setAnchorElement(anchor.current), [store, anchor])
  return (
    <Tooltip store={store} className="tip" gutter={4} portal portalElement={floatRoot}>
      {children}
    </Tooltip>
  )
}
