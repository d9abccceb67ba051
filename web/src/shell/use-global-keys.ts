import { useNavigate } from '@tanstack/react-router'
import { useKeys } from '../keys.ts'
import { paletteOpen } from '../palette.ts'
import { keyWords as words } from '../words/keys.ts'

/** The keys that work on every screen. */
export function useGlobalKeys(): void {
  const navigate = useNavigate()
  const goTo = { group: words.goTo }
  useKeys([
    { press: 'Mod+k', does: words.palette, group: words.everywhere, run: () => paletteOpen.set(!paletteOpen.get()) },
    { ...goTo, press: 'g i', does: words.inbox, run: () => void navigate({ to: '/inbox' }) },
    { ...goTo, press: 'g c', does: words.contacts, run: () => void navigate({ to: '/contacts' }) },
    { ...goTo, press: 'g l', does: words.lists, run: () => void navigate({ to: '/lists' }) },
    { ...goTo, press: 'g d', does: words.develop, run: () => void navigate({ to: '/develop/simulator' }) },
    { ...goTo, press: 'g s', does: words.settings, run: () => void navigate({ to: '/settings/account' }) },
  ])
}
