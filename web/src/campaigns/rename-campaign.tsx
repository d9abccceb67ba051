import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import { RenameForm } from '../ui/rename-form.tsx'
import { useChangeCampaign } from './use-campaign.ts'
import { campaignWords as words } from './words.ts'

export function RenameCampaign({ campaign, onDone }: { campaign: ShownCampaign; onDone: () => void }) {
  const change = useChangeCampaign(campaign.id)
  const rename = {
    ...change,
    mutate: (name: string) => change.mutate({ version: campaign.version, name }, { onSuccess: onDone }),
  }
  return <RenameForm words={words} name={campaign.name} rename={rename} onCancel={onDone} />
}
