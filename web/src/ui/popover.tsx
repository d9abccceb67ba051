import './popover.css'
import { lazy, type ReactElement, type ReactNode, Suspense, useRef, useState } from 'react'

const load = () => import('./popover-float.tsx')
const PopoverFloat = lazy(() => load().then(({ PopoverFloat }) => ({ default: PopoverFloat })))

/** Props that the trigger, a button, must take. */
export type TriggerProps = {
  ref: (element: HTMLElement | null) => void
  'aria-haspopup': 'dialog' | 'menu'
  'aria-expanded': boolean
  onClick: () => void
  onPointerEnter: () => void
  onFocus: () => void
}

/**
 * Something that opens beside its button; a sheet at the bottom edge under 640 px. Its code is loaded when the pointer or
 * the focus comes to the button.
 */
export function Popover({
  label,
  trigger,
  children,
}: {
  label: string
  trigger: (props: TriggerProps) => ReactElement
  /** Called while it is open. */
  children: (close: () => void) => ReactNode
}) {
  const [isOpen, setOpen] = useState(false)
  const anchor = useRef<HTMLElement | null>(null)
  const close = () => setOpen(false)
  return (
    <>
      {trigger(triggerProps('dialog', { anchor, isOpen, setOpen, load }))}
      {isOpen && (
        <Suspense>
          <PopoverFloat label={label} anchor={anchor} onClose={close}>
            {children(close)}
          </PopoverFloat>
        </Suspense>
      )}
    </>
  )
}

export function triggerProps(
  kind: 'dialog' | 'menu',
  {
    anchor,
    isOpen,
    setOpen,
    load,
  }: {
    anchor: { current: HTMLElement | null }
    isOpen: boolean
    setOpen: (isOpen: boolean) => void
    load: () => unknown
  },
): TriggerProps {
  return {
    ref: (element) => {
      anchor.current = element
    },
    'aria-haspopup': kind,
    'aria-expanded': isOpen,
    onClick: () => setOpen(!isOpen),
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
  }
}
