import './campaigns.css'
import '../ui/page.css'
import '../ui/surface.css'
import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { ApiError } from '../data/api.ts'
import { buttonClass } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { useTitle } from '../ui/use-title.ts'
import { WaitingBlock } from '../ui/waiting.tsx'
import { CampaignHead } from './campaign-head.tsx'
import { Knowledge } from './knowledge/knowledge.tsx'
import { Tabs } from './tabs.tsx'
import { TestChat, type Trial } from './test-chat/test-chat.tsx'
import { useCampaign } from './use-campaign.ts'
import { campaignWords as words } from './words.ts'

const Unanswered = lazy(() => import('./unanswered/unanswered.tsx').then((file) => ({ default: file.Unanswered })))
const Settings = lazy(() => import('./settings/settings-tab.tsx').then((file) => ({ default: file.SettingsTab })))
const Texts = lazy(() => import('./settings/texts-tab.tsx').then((file) => ({ default: file.TextsTab })))

const route = getRouteApi('/shell/campaigns/$campaignId')

/** One campaign: what it knows at the left, the test chat always at the right: change, ask, see the scores move. */
export function Campaign() {
  const { campaignId } = route.useParams()
  const campaign = useCampaign(campaignId)
  if (campaign.data) return <CampaignDetails key={campaignId} campaign={campaign.data} />
  if (campaign.error instanceof ApiError && campaign.error.status === 404) return <Gone />
  if (campaign.error) return <ErrorState error={campaign.error} retry={() => void campaign.refetch()} />
  return (
    <div className="page">
      <WaitingBlock height={240} />
    </div>
  )
}

function CampaignDetails({ campaign }: { campaign: ShownCampaign }) {
  useTitle(campaign.name)
  const { tab = 'knowledge' } = route.useSearch()
  const navigate = useNavigate()
  const [trial, setTrial] = useState<Trial>({})
  const [proposed, setProposed] = useState<string>()
  const makeEntry = (question: string) => {
    setProposed(question)
    void navigate({ to: '/campaigns/$campaignId', params: { campaignId: campaign.id } })
  }
  return (
    <div className="campaign">
      <div className="pane campaign-main">
        <CampaignHead campaign={campaign} />
        <Tabs campaign={campaign} current={tab} />
        {tab === 'knowledge' && (
          <Knowledge campaign={campaign} proposed={proposed} onProposedDone={() => setProposed(undefined)} />
        )}
        <Suspense fallback={<WaitingBlock height={160} />}>
          {tab === 'unanswered' && <Unanswered campaign={campaign} />}
          {tab === 'settings' && <Settings campaign={campaign} onTrial={setTrial} />}
          {tab === 'texts' && <Texts campaign={campaign} />}
        </Suspense>
      </div>
      <TestChat campaign={campaign} trial={trial} onMakeEntry={makeEntry} />
    </div>
  )
}

function Gone() {
  return (
    <Empty title={words.gone} says={words.goneSays}>
      <Link to="/campaigns" className={buttonClass()}>
        {words.all}
      </Link>
    </Empty>
  )
}
