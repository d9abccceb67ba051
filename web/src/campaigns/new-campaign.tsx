import { useNavigate } from '@tanstack/react-router'
import { call } from '../data/api.ts'
import { NameForm } from '../ui/name-form.tsx'
import { keepCampaign } from './use-campaign.ts'
import { campaignWords as words } from './words.ts'

/** The form for a new campaign. It is a draft: it answers nobody before it is made live. */
export function NewCampaign({ onDone }: { onDone: () => void }) {
  const navigate = useNavigate()
  const create = async (name: string) => {
    const campaign = await call('POST /api/campaigns', { body: { name } })
    keepCampaign(campaign)
    await navigate({ to: '/campaigns/$campaignId', params: { campaignId: campaign.id } })
  }
  return (
    <NameForm words={words} create={create} onCancel={onDone} className="card card-body stack stack-3 new-campaign" />
  )
}
