import { Menu as AriakitMenu, MenuItem as AriakitMenuItem, useMenuStore } from '@ariakit/react/menu'
import type { RefObject } from 'react'
import { classes } from './classes.ts'
import { floatRoot } from './floats.ts'
import { Kbd } from './kbd.tsx'
import type { MenuItem } from './menu.tsx'
import { useAnchored } from './use-anchored.ts'

export function MenuFloat({
  label,
  items,
  anchor,
  onClose,
}: {
  label: string
  items: readonly MenuItem[]
  anchor: RefObject<HTMLElement | null>
  onClose: () => void
}) {
  const store = useMenuStore({ open: true, setOpen: (isOpen) => !isOpen && onClose(), placement: 'bottom-end' })
  useAnchored(store, anchor)
  return (
    <AriakitMenu
      store={store}
      className="menu"
      aria-label={label}
      gutter={4}
      portal
      portalElement={floatRoot}
      autoFocusOnShow
      preserveTabOrder={false}
    >
      {items.map(({ label: name, icon: Icon, press, destroys, disabled, run }) => (
        <AriakitMenuItem
          key={name}
          className={classes(destroys && 'fail')}
          disabled={disabled ?? false}
          onClick={() => {
            onClose()
            run()
          }}
        >
          {Icon && <Icon className="i" />}
          <span className="grow">{name}</span>
          {press && <Kbd press={press} />}
        </AriakitMenuItem>
      ))}
    </AriakitMenu>
  )
}
