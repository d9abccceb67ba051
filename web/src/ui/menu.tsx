import './popover.css'
import { lazy, type ReactElement, Suspense, useRef, useState } from 'react'
import type { MenuItem } from './menu-overlay.tsx'
import { type Begin, type OpeningCommand, type TriggerProps, triggerProps, useOpeningCommand } from './popover.tsx'

const load = () => import('./menu-overlay.tsx')
const MenuOverlay = lazy(() => load().then(({ MenuOverlay }) => ({ default: MenuOverlay })))

/** A menu of actions; loaded when the pointer or the focus comes to its button. */
export function Menu({
  label,
  command,
  items,
  trigger,
}: {
  label: string
  /** What opens it besides its button. */
  command?: OpeningCommand | undefined
  items: readonly MenuItem[]
  trigger: (props: TriggerProps) => ReactElement
}) {
  const [begin, setBegin] = useState<Begin>()
  const anchor = useRef<HTMLElement | null>(null)
  const isOpen = begin !== undefined
  const close = () => setBegin(undefined)
  useOpeningCommand(command, anchor, () => setBegin(isOpen ? undefined : 'first'))
  return (
    <>
      {trigger(triggerProps('menu', { anchor, isOpen, open: setBegin, close, load }))}
      {isOpen && (
        <Suspense>
          <MenuOverlay label={label} items={items} anchor={anchor} begin={begin} onClose={close} />
        </Suspense>
      )}
    </>
  )
}
