import '../ui/side-nav.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Bell from 'lucide-react/icons/bell'
import Coins from 'lucide-react/icons/coins'
import Cpu from 'lucide-react/icons/cpu'
import KeyRound from 'lucide-react/icons/key-round'
import MessageCircle from 'lucide-react/icons/message-circle'
import Plug from 'lucide-react/icons/plug'
import ScrollText from 'lucide-react/icons/scroll-text'
import SunMoon from 'lucide-react/icons/sun-moon'
import UsersRound from 'lucide-react/icons/users-round'
import Webhook from 'lucide-react/icons/webhook'
import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react'
import { read } from '../data/queries.ts'
import { shellWords as words } from '../shell/words.ts'
import { PageHead } from '../ui/page-head.tsx'

type Props = Omit<ComponentProps<typeof PageHead>, 'children'> & { head?: ReactNode; children?: ReactNode }

/** A page of the settings, with the others beside it; a strip on top under 1024 px. */
export function SettingsPage({ head, children, ...about }: Props) {
  const { data: me } = useQuery(read('GET /api/session'))
  const seesCredits = me?.user.isOwner && me.account.kind === 'subaccount'
  const seesTeam = me?.user.isOwner && !me.visiting
  const side = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // On a phone the strip is wider than the screen.
    side.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [])
  return (
    <div className="with-nav">
      <div className="with-nav-side" ref={side}>
        <h2>{words.settings}</h2>
        <nav className="side-nav" aria-label={words.settingsNav}>
          <Link to="/settings/account">
            <KeyRound className="i" />
            <span className="cut">{words.account}</span>
          </Link>
          <Link to="/channels">
            <Plug className="i" />
            <span className="cut">{words.channels}</span>
          </Link>
          <Link to="/settings/website-chat">
            <MessageCircle className="i" />
            <span className="cut">{words.websiteChat}</span>
          </Link>
          <Link to="/settings/webhook">
            <Webhook className="i" />
            <span className="cut">{words.webhook}</span>
          </Link>
          <Link to="/settings/alerts">
            <Bell className="i" />
            <span className="cut">{words.alerts}</span>
          </Link>
          {seesCredits && (
            <Link to="/settings/credits">
              <Coins className="i" />
              <span className="cut">{words.credits}</span>
            </Link>
          )}
          <Link to="/settings/ai">
            <Cpu className="i" />
            <span className="cut">{words.ai}</span>
          </Link>
          {seesTeam && (
            <>
              <Link to="/settings/team">
                <UsersRound className="i" />
                <span className="cut">{words.team}</span>
              </Link>
              <Link to="/settings/audit">
                <ScrollText className="i" />
                <span className="cut">{words.audit}</span>
              </Link>
            </>
          )}
          <Link to="/settings/appearance">
            <SunMoon className="i" />
            <span className="cut">{words.appearance}</span>
          </Link>
        </nav>
      </div>
      <div>
        <PageHead {...about}>{head}</PageHead>
        {children}
      </div>
    </div>
  )
}
