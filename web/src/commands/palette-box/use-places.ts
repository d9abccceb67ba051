import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import Bell from 'lucide-react/icons/bell'
import Bot from 'lucide-react/icons/bot'
import Braces from 'lucide-react/icons/braces'
import ChartColumn from 'lucide-react/icons/chart-column'
import Coins from 'lucide-react/icons/coins'
import Cpu from 'lucide-react/icons/cpu'
import Inbox from 'lucide-react/icons/inbox'
import KeyRound from 'lucide-react/icons/key-round'
import ListIcon from 'lucide-react/icons/list'
import ListChecks from 'lucide-react/icons/list-checks'
import Megaphone from 'lucide-react/icons/megaphone'
import ScrollText from 'lucide-react/icons/scroll-text'
import SunMoon from 'lucide-react/icons/sun-moon'
import UsersRound from 'lucide-react/icons/users-round'
import Webhook from 'lucide-react/icons/webhook'
import { read } from '../../data/queries.ts'
import { shellWords } from '../../shell/words.ts'
import type { Command } from '../palette.ts'
import { paletteWords as words } from './words.ts'

const places = [
  { to: '/inbox', place: shellWords.inbox, icon: Inbox, press: 'g i' },
  { to: '/contacts', place: shellWords.contacts, icon: UsersRound, press: 'g c' },
  { to: '/lists', place: shellWords.lists, icon: ListIcon, press: 'g l' },
  { to: '/broadcasts', place: shellWords.broadcasts, also: shellWords.lists, icon: Megaphone, press: 'g w' },
  { to: '/campaigns', place: shellWords.campaigns, icon: Bot, press: 'g b' },
  { to: '/reports', place: shellWords.reports, icon: ChartColumn, press: 'g p' },
  { to: '/agency', place: shellWords.agency, icon: Coins, press: 'g a', isOnlyFor: 'agency' },
  { to: '/settings/webhook', place: shellWords.webhook, also: shellWords.receiver, icon: Webhook },
  { to: '/develop/simulator', place: shellWords.simulator, also: shellWords.develop, icon: Braces, press: 'g d' },
  { to: '/develop/reference', place: shellWords.reference, also: shellWords.develop, icon: Braces },
  { to: '/develop/calls', place: shellWords.lastCalls, also: shellWords.develop, icon: Braces },
  { to: '/first-run', place: shellWords.firstRun, also: shellWords.develop, icon: ListChecks },
  { to: '/settings/account', place: shellWords.account, also: shellWords.settings, icon: KeyRound, press: 'g s' },
  { to: '/settings/alerts', place: shellWords.alerts, also: shellWords.settings, icon: Bell },
  { to: '/settings/ai', place: shellWords.ai, also: shellWords.settings, icon: Cpu },
  { to: '/settings/team', place: shellWords.team, also: shellWords.settings, icon: UsersRound, isOwners: true },
  { to: '/settings/audit', place: shellWords.audit, also: shellWords.settings, icon: ScrollText, isOwners: true },
  {
    to: '/settings/credits',
    place: shellWords.credits,
    also: shellWords.settings,
    icon: Coins,
    isOnlyFor: 'subaccount',
  },
  { to: '/settings/appearance', place: shellWords.appearance, also: shellWords.settings, icon: SunMoon },
] as const

/** Every screen, as a command. */
export function usePlaces(): Command[] {
  const navigate = useNavigate()
  const me = useQuery(read('GET /api/session')).data
  const isOwner = me?.user.isOwner && !me.visiting
  const seen = places.filter((place) => {
    if ('isOnlyFor' in place) return me?.user.isOwner && me.account.kind === place.isOnlyFor
    return isOwner || !('isOwners' in place)
  })
  return seen.map(({ to, place, ...rest }) => ({
    ...{ id: to, group: words.commands, label: words.go(place), ...rest },
    run: () => void navigate({ to }),
  }))
}
