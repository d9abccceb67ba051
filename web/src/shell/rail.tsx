import '../ui/rail.css'
import type { Counts } from '@patchbay/contract/app/conversations.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import Bot from 'lucide-react/icons/bot'
import Braces from 'lucide-react/icons/braces'
import ChartColumn from 'lucide-react/icons/chart-column'
import Coins from 'lucide-react/icons/coins'
import InboxIcon from 'lucide-react/icons/inbox'
import ListIcon from 'lucide-react/icons/list'
import ListChecks from 'lucide-react/icons/list-checks'
import Megaphone from 'lucide-react/icons/megaphone'
import MenuIcon from 'lucide-react/icons/menu'
import Plug from 'lucide-react/icons/plug'
import Search from 'lucide-react/icons/search'
import Settings from 'lucide-react/icons/settings'
import Unplug from 'lucide-react/icons/unplug'
import UsersRound from 'lucide-react/icons/users-round'
import type { ReactNode } from 'react'
import { paletteOpen } from '../commands/palette.ts'
import { read } from '../data/queries.ts'
import { classes } from '../ui/classes.ts'
import { Menu } from '../ui/menu.tsx'
import { isMac } from '../ui/platform.ts'
import { channelsInNeed } from './channels-in-need.ts'
import { Mark } from './mark.tsx'
import { useIsAgency } from './use-is-agency.ts'
import { shellWords as words } from './words.ts'

/** The places of the app, beside every screen. */
export function Rail() {
  const isAgency = useIsAgency()
  const { data: counts } = useQuery(read('GET /api/counts'))
  return (
    <nav className="rail" aria-label={words.mainNav}>
      <Link to="/" activeOptions={{ exact: true }} className="rail-mark" aria-label={words.home}>
        <Mark size={26} />
      </Link>
      <Places counts={counts} icon="i">
        <Link to="/lists" activeProps={current}>
          <ListIcon className="i" />
          {words.lists}
        </Link>
        <Link to="/broadcasts" activeProps={current}>
          <Megaphone className="i" />
          {words.broadcasts}
        </Link>
      </Places>
      <Link to="/reports" activeProps={current}>
        <ChartColumn className="i" />
        {words.reports}
      </Link>
      {isAgency && (
        <Link to="/agency" activeProps={current}>
          <Coins className="i" />
          {words.agency}
        </Link>
      )}
      <div className="rail-foot">
        <Channels counts={counts} />
        <Link to="/develop/simulator" activeProps={current}>
          <Braces className="i" />
          {words.develop}
        </Link>
        <Link to="/settings/account" activeProps={current}>
          <Settings className="i" />
          {words.settings}
        </Link>
        <button
          type="button"
          aria-haspopup="dialog"
          onClick={() => paletteOpen.set(true)}
          aria-label={`${words.palette}, ${words.paletteKey(isMac)}`}
        >
          <Search className="i" />
          <span>{words.paletteKey(isMac)}</span>
        </button>
      </div>
    </nav>
  )
}

/** Links to the places of the app. `children`: those that only the rail has room for. */
function Places({ counts, icon, children }: { counts: Counts | undefined; icon: string; children?: ReactNode }) {
  return (
    <>
      <Link to="/inbox" activeProps={current}>
        <InboxIcon className={icon} />
        {words.inbox}
        <Count counts={counts} />
      </Link>
      <Link to="/contacts" activeProps={current}>
        <UsersRound className={icon} />
        {words.contacts}
      </Link>
      {children}
      <Link to="/campaigns" activeProps={current}>
        <Bot className={icon} />
        {words.campaigns}
      </Link>
    </>
  )
}

/** The rail of a phone. */
export function TabBar() {
  const { data: counts } = useQuery(read('GET /api/counts'))
  return (
    <nav className="tabbar" aria-label={words.mainNav}>
      <Places counts={counts} icon="i i-20" />
      <Channels counts={counts} large />
      <More />
    </nav>
  )
}

/** The places that have no room in the bar of a phone. */
function More() {
  const isAgency = useIsAgency()
  const navigate = useNavigate()
  const isHere = useLocation({
    select: ({ pathname }) =>
      /^\/(lists|broadcasts|reports|agency|settings\/(?!webhook)|develop|first-run)/.test(pathname),
  })
  const items = [
    { label: words.palette, icon: Search, run: () => paletteOpen.set(true) },
    { label: words.lists, icon: ListIcon, run: () => void navigate({ to: '/lists' }) },
    { label: words.broadcasts, icon: Megaphone, run: () => void navigate({ to: '/broadcasts' }) },
    { label: words.reports, icon: ChartColumn, run: () => void navigate({ to: '/reports' }) },
    ...(isAgency ? [{ label: words.agency, icon: Coins, run: () => void navigate({ to: '/agency' }) }] : []),
    { label: words.simulator, icon: Braces, run: () => void navigate({ to: '/develop/simulator' }) },
    { label: words.firstRun, icon: ListChecks, run: () => void navigate({ to: '/first-run' }) },
    { label: words.settings, icon: Settings, run: () => void navigate({ to: '/settings/account' }) },
  ]
  return (
    <Menu
      label={words.more}
      items={items}
      trigger={(props) => (
        <button type="button" aria-current={isHere ? 'page' : undefined} {...props}>
          <MenuIcon className="i i-20" />
          {words.more}
        </button>
      )}
    />
  )
}

const current = { 'aria-current': 'page' } as const

/** How many conversations wait for a person or have a reply that failed. */
function Count({ counts }: { counts: Counts | undefined }) {
  const count = counts ? counts.waiting + counts.failed : 0
  if (count === 0) return null
  return (
    <span className="rail-count">
      <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
      <span className="sr">, {words.needYou(count)}</span>
    </span>
  )
}

/** Red while a channel needs somebody, the receiver of the custom ones among them; then it leads to that one. */
function Channels({ counts, large = false }: { counts: Counts | undefined; large?: boolean }) {
  const isHere = useLocation({ select: ({ pathname }) => /^\/(channels|settings\/webhook)(\/|$)/.test(pathname) })
  const { needs, ...to } = channelsInNeed(counts)
  const title =
    needs.length === 0 ? words.channelsFine : needs.length === 1 ? needs[0] : words.channelsNeed(needs.length)
  const Icon = needs.length > 0 ? Unplug : Plug
  return (
    <Link
      {...to}
      className={classes('rail-health', needs.length > 0 && 'bad')}
      title={title}
      activeProps={{}}
      aria-current={isHere ? 'page' : undefined}
    >
      <Icon className={classes('i', large && 'i-20')} />
      {words.channels}
      <span className="sr">, {title}</span>
    </Link>
  )
}
