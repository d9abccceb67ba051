import './popover.css'
import {
  type KeyboardEvent,
  lazy,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  Suspense,
  useRef,
  useState,
} from 'react'
import { type Command, useCommands } from '../commands/commands.ts'
import { showElement } from './show-element.ts'

const load = () => import('./popover-overlay.tsx')
const PopoverOverlay = lazy(() => load().then(({ PopoverOverlay }) => ({ default: PopoverOverlay })))

/** Props that the trigger, a button, must take. */
export type TriggerProps = {
  ref: (element: HTMLElement | null) => void
  'aria-haspopup': 'dialog' | 'menu'
  'aria-expanded': boolean
  onClick: (event: MouseEvent) => void
  onKeyDown: (event: KeyboardEvent) => void
  onPointerEnter: () => void
  onFocus: () => void
}

/**
 * Something that opens beside its button; a sheet at the bottom edge under 640 px. Its code is loaded when the pointer or
 * the focus comes to the button.
 */
export function Popover({
  label,
  side = 'end',
  command,
  trigger,
  children,
}: {
  label: string
  /** The edge of the button at which it stands. */
  side?: 'start' | 'end'
  /** What opens it besides its button. */
  command?: OpeningCommand | undefined
  trigger: (props: TriggerProps) => ReactElement
  /** Is called while it is open. */
  children: (close: () => void) => ReactNode
}) {
  const [isOpen, setOpen] = useState(false)
  const anchor = useRef<HTMLElement | null>(null)
  const close = () => setOpen(false)
  useOpeningCommand(command, anchor, () => setOpen(!isOpen))
  return (
    <>
      {trigger(triggerProps('dialog', { anchor, isOpen, open: () => setOpen(true), close, load }))}
      {isOpen && (
        <Suspense>
          <PopoverOverlay label={label} side={side} anchor={anchor} onClose={close}>
            {children(close)}
          </PopoverOverlay>
        </Suspense>
      )}
    </>
  )
}

export type OpeningCommand = Omit<Command, 'run'>

/** Registers a command that does what the button does, and shows the button first. */
export function useOpeningCommand(
  command: OpeningCommand | undefined,
  anchor: { current: HTMLElement | null },
  toggle: () => void,
): void {
  const run = () => {
    showElement(anchor.current)
    toggle()
  }
  useCommands(command ? [{ ...command, run }] : [])
}

/** Where the focus begins in what opens: at an item, where a key has opened it. */
export type Begin = 'first' | 'last' | 'container'

export function triggerProps(
  kind: 'dialog' | 'menu',
  {
    anchor,
    isOpen,
    open,
    close,
    load,
  }: {
    anchor: { current: HTMLElement | null }
    isOpen: boolean
    open: (begin: Begin) => void
    close: () => void
    load: () => unknown
  },
): TriggerProps {
  return {
    ref: (element) => {
      anchor.current = element
    },
    'aria-haspopup': kind,
    'aria-expanded': isOpen,
    // A click that no pointer made, by Enter or Space, has no detail.
    onClick: ({ detail }) => (isOpen ? close() : open(detail === 0 ? 'first' : 'container')),
    onKeyDown: (event) => {
      const begin = kind === 'menu' && !isOpen && ({ ArrowDown: 'first', ArrowUp: 'last' } as const)[event.key]
      if (!begin) return
      event.preventDefault()
      open(begin)
    },
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
  }
}
