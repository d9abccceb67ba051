import '../ui/tabs.css'
import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import { Link } from '@tanstack/react-router'
import { classes } from '../ui/classes.ts'
import { type Tab, tabs } from './tab-names.ts'
import { campaignWords as words } from './words.ts'

/** The parts of a campaign, each with an address of its own. */
export function Tabs({ campaign, current }: { campaign: ShownCampaign; current: Tab }) {
  const counts = { knowledge: campaign.entries, unanswered: campaign.unanswered, settings: 0, texts: 0 }
  return (
    <nav className="tabs" aria-label={words.tabsOf}>
      {tabs.map((tab) => (
        <Link
          key={tab}
          to="/campaigns/$campaignId"
          params={{ campaignId: campaign.id }}
          search={tab === 'knowledge' ? {} : { tab }}
          activeOptions={{ exact: true }}
          aria-current={tab === current ? 'page' : undefined}
          activeProps={{}}
        >
          {words.tabs[tab]}
          {counts[tab] > 0 && (
            <span className={classes('tabs-pill', tab === 'unanswered' && 'wait')}>{counts[tab]}</span>
          )}
        </Link>
      ))}
    </nav>
  )
}
