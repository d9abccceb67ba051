import './popover.css'
import { lazy, type ReactElement, Suspense, useRef, useState } from 'react'
import type { MenuItem } from './menu-float.tsx'
import { type Begin, type TriggerProps, triggerProps } from './popover.tsx'

const load = () => import('./menu-float.tsx')
const MenuFloat = lazy(() => load().then(({ MenuFloat }) => ({ default: MenuFloat })))

/** A menu of actions; loaded when the pointer or the focus comes to its button. */
export function Menu({
  label,
  items,
  trigger,
}: {
  label: string
  items: readonly MenuItem[]
  trigger: (props: TriggerProps) => ReactElement
}) {
  const [begin, setBegin] = useState<Begin>()
  const anchor = useRef<HTMLElement | null>(null)
  const isOpen = begin !== undefined
  const close = () => setBegin(undefined)
  return (
    <>
      {trigger(triggerProps('menu', { anchor, isOpen, open: setBegin, close, load }))}
      {isOpen && (
        <Suspense>
          <MenuFloat label={label} items={items} anchor={anchor} begin={begin} onClose={close} />
        </Suspense>
      )}
    </>
  )
}
