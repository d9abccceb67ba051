import {
  Menu as AriakitMenu,
  MenuItem as AriakitMenuItem,
  MenuGroup,
  MenuGroupLabel,
  useMenuStore,
} from '@ariakit/react/menu'
import { type ComponentType, type RefObject, useLayoutEffect } from 'react'
import { classes } from './classes.ts'
import { Kbd } from './kbd.tsx'
import { overlayRoot } from './overlays.ts'
import type { Begin } from './popover.tsx'
import { useAnchored } from './use-anchored.ts'

export type MenuItem = {
  label: string
  /** The heading above it; items of one group stand together. Without one, a line sets them apart. */
  group?: string
  icon?: ComponentType<{ className?: string }>
  /** The key, shown at the right edge. */
  press?: string
  /** Whether it cannot be undone: then it is red. */
  destroys?: boolean
  disabled?: boolean
  run: () => void
}

export function MenuOverlay({
  label,
  items,
  anchor,
  begin,
  onClose,
}: {
  label: string
  items: readonly MenuItem[]
  anchor: RefObject<HTMLElement | null>
  begin: Begin
  onClose: () => void
}) {
  const store = useMenuStore({ open: true, setOpen: (isOpen) => !isOpen && onClose(), placement: 'bottom-end' })
  useAnchored(store, anchor)
  // The store waits for a button of its own to say that the focus comes into the menu, and where.
  useLayoutEffect(() => {
    store.setInitialFocus(begin)
    store.setAutoFocusOnShow(true)
  }, [store, begin])
  return (
    <AriakitMenu
      store={store}
      className="menu"
      aria-label={label}
      gutter={4}
      portal
      portalElement={overlayRoot}
      autoFocusOnShow
      preserveTabOrder={false}
    >
      {groupsOf(items).map(({ name, items: each }) => (
        <MenuGroup key={`${name} ${each[0]?.label}`} className="menu-group">
          {name !== undefined && <MenuGroupLabel className="menu-label">{name}</MenuGroupLabel>}
          {each.map((item) => (
            <Item key={item.label} item={item} onClose={onClose} />
          ))}
        </MenuGroup>
      ))}
    </AriakitMenu>
  )
}

type Group = { name: string | undefined; items: MenuItem[] }

/** Items that stand together, in their order. */
function groupsOf(items: readonly MenuItem[]): Group[] {
  const groups: Group[] = []
  for (const item of items) {
    const last = groups.at(-1)
    if (last && last.name === item.group) last.items.push(item)
    else groups.push({ name: item.group, items: [item] })
  }
  return groups
}

function Item({ item, onClose }: { item: MenuItem; onClose: () => void }) {
  const { label, icon: Icon, press, destroys, disabled = false, run } = item
  return (
    <AriakitMenuItem
      className={classes(destroys && 'fail')}
      disabled={disabled}
      onClick={() => {
        onClose()
        run()
      }}
    >
      {Icon && <Icon className="i" />}
      <span className="grow">{label}</span>
      {press && <Kbd press={press} />}
    </AriakitMenuItem>
  )
}
