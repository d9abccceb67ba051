import { useNavigate } from '@tanstack/react-router'
import { useKeys } from '../commands/keys.ts'
import { paletteOpen } from '../commands/palette.ts'
import { keyWords as words } from '../commands/words.ts'
import { createStore } from '../data/store.ts'
import { useIsAgency } from './use-is-agency.ts'

/** Whether the list of keys is open. */
export const keysListOpen = createStore(false)

/** The keys that work on every screen. */
export function useGlobalKeys(): void {
  const navigate = useNavigate()
  const isAgency = useIsAgency()
  const everywhere = { group: words.everywhere }
  const goTo = { group: words.goTo }
  useKeys([
    { ...everywhere, press: 'Mod+k', does: words.palette, run: () => paletteOpen.set(!paletteOpen.get()) },
    { ...everywhere, press: '?', does: words.allKeys, run: () => keysListOpen.set(true) },
    { ...everywhere, press: 'F6', does: words.nextPane, run: focusNextPane },
    { ...goTo, press: 'g i', does: words.inbox, run: () => void navigate({ to: '/inbox' }) },
    { ...goTo, press: 'g c', does: words.contacts, run: () => void navigate({ to: '/contacts' }) },
    { ...goTo, press: 'g l', does: words.lists, run: () => void navigate({ to: '/lists' }) },
    { ...goTo, press: 'g w', does: words.broadcasts, run: () => void navigate({ to: '/broadcasts' }) },
    { ...goTo, press: 'g b', does: words.campaigns, run: () => void navigate({ to: '/campaigns' }) },
    { ...goTo, press: 'g p', does: words.reports, run: () => void navigate({ to: '/reports' }) },
    ...(isAgency ? [{ ...goTo, press: 'g a', does: words.agency, run: () => void navigate({ to: '/agency' }) }] : []),
    { ...goTo, press: 'g d', does: words.develop, run: () => void navigate({ to: '/develop/simulator' }) },
    { ...goTo, press: 'g s', does: words.settings, run: () => void navigate({ to: '/settings/account' }) },
  ])
}

/** What `F6` stops at: the navigation, and panes; a page without panes is one. `data-pane-focus` marks where in it. */
const panes = 'nav.rail, nav.tabbar, .side-nav, .pane, .compose, .main:not(:has(.pane)), .sheet'

function focusNextPane(): void {
  const shown = [...document.querySelectorAll<HTMLElement>(panes)].filter((pane) => pane.checkVisibility())
  const from = shown.findLastIndex((pane) => pane.contains(document.activeElement))
  const next = shown[(from + 1) % shown.length]
  const first =
    next?.querySelector<HTMLElement>('[data-pane-focus]') ??
    next?.querySelector<HTMLElement>('[aria-current], a[href], button:not([disabled]), input, textarea, [tabindex="0"]')
  ;(first ?? next)?.focus()
}
