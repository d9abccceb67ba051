import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import Bot from 'lucide-react/icons/bot'
import Braces from 'lucide-react/icons/braces'
import ChartColumn from 'lucide-react/icons/chart-column'
import Coins from 'lucide-react/icons/coins'
import Inbox from 'lucide-react/icons/inbox'
import ListIcon from 'lucide-react/icons/list'
import ListChecks from 'lucide-react/icons/list-checks'
import Megaphone from 'lucide-react/icons/megaphone'
import Plug from 'lucide-react/icons/plug'
import UsersRound from 'lucide-react/icons/users-round'
import { lazy } from 'react'
import { type Command, useCommands } from '../commands/commands.ts'
import { paletteOpen } from '../commands/palette.ts'
import { keyWords as words } from '../commands/words.ts'
import { read } from '../data/queries.ts'
import { createStore } from '../data/store.ts'
import { shellWords } from './words.ts'

/** Whether the list of keys is open. */
export const keysListOpen = createStore(false)

/** What can be done on every screen. */
export function useGlobalCommands(): void {
  const group = words.everywhere
  useCommands([
    { id: 'palette', label: words.palette, keys: 'Mod+k', group, run: () => paletteOpen.set(!paletteOpen.get()) },
    { id: 'all keys', label: words.allKeys, keys: '?', group, run: () => keysListOpen.set(true) },
    { id: 'next pane', label: words.nextPane, keys: 'F6', group, run: focusNextPane },
    ...usePlaces(),
  ])
}

type SettingsIcons = typeof import('./settings-icons.ts')['settingsIcons']

// Only the palette shows them: they are loaded when it does.
const ofSettings = (name: keyof SettingsIcons) =>
  lazy(() => import('./settings-icons.ts').then(({ settingsIcons }) => ({ default: settingsIcons[name] })))

const places = [
  { to: '/inbox', place: shellWords.inbox, icon: Inbox, keys: 'g i' },
  { to: '/contacts', place: shellWords.contacts, icon: UsersRound, keys: 'g c' },
  { to: '/lists', place: shellWords.lists, icon: ListIcon, keys: 'g l' },
  { to: '/broadcasts', place: shellWords.broadcasts, also: shellWords.lists, icon: Megaphone, keys: 'g w' },
  { to: '/campaigns', place: shellWords.campaigns, icon: Bot, keys: 'g b' },
  { to: '/reports', place: shellWords.reports, icon: ChartColumn, keys: 'g p' },
  { to: '/agency', place: shellWords.agency, icon: Coins, keys: 'g a', isOnlyFor: 'agency' },
  { to: '/channels', place: shellWords.channels, also: shellWords.settings, icon: Plug, keys: 'g n' },
  {
    to: '/settings/website-chat',
    place: shellWords.websiteChat,
    also: shellWords.settings,
    icon: ofSettings('MessageCircle'),
  },
  { to: '/settings/webhook', place: shellWords.webhook, also: shellWords.receiver, icon: ofSettings('Webhook') },
  { to: '/develop/simulator', place: shellWords.simulator, also: shellWords.develop, icon: Braces, keys: 'g d' },
  { to: '/develop/reference', place: shellWords.reference, also: shellWords.develop, icon: Braces },
  { to: '/develop/calls', place: shellWords.lastCalls, also: shellWords.develop, icon: Braces },
  { to: '/first-run', place: shellWords.firstRun, also: shellWords.develop, icon: ListChecks },
  {
    to: '/settings/account',
    place: shellWords.account,
    also: shellWords.settings,
    icon: ofSettings('KeyRound'),
    keys: 'g s',
  },
  { to: '/settings/alerts', place: shellWords.alerts, also: shellWords.settings, icon: ofSettings('Bell') },
  { to: '/settings/ai', place: shellWords.ai, also: shellWords.settings, icon: ofSettings('Cpu') },
  { to: '/settings/team', place: shellWords.team, also: shellWords.settings, icon: UsersRound, isOwners: true },
  {
    to: '/settings/audit',
    place: shellWords.audit,
    also: shellWords.settings,
    icon: ofSettings('ScrollText'),
    isOwners: true,
  },
  {
    to: '/settings/credits',
    place: shellWords.credits,
    also: shellWords.settings,
    icon: Coins,
    isOnlyFor: 'subaccount',
  },
  { to: '/settings/appearance', place: shellWords.appearance, also: shellWords.settings, icon: ofSettings('SunMoon') },
] as const

/** Every screen, as a command. */
function usePlaces(): Command[] {
  const navigate = useNavigate()
  const me = useQuery(read('GET /api/session')).data
  const isOwner = me?.user.isOwner && !me.visiting
  const seen = places.filter((place) => {
    if ('isOnlyFor' in place) return me?.user.isOwner && me.account.kind === place.isOnlyFor
    return isOwner || !('isOwners' in place)
  })
  return seen.map((place) => ({
    id: place.to,
    label: place.place,
    group: words.goTo,
    ...('keys' in place && { keys: place.keys }),
    palette: {
      group: words.commands,
      label: words.go(place.place),
      icon: place.icon,
      ...('also' in place && { also: place.also }),
    },
    run: () => void navigate({ to: place.to }),
  }))
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
