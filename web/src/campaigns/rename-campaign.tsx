import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import { RenameForm } from '../ui/rename-form.tsx'
import { changeCampaign } from './use-campaign.ts'
import { campaignWords as words } from './words.ts'

export function RenameCampaign({ campaign, onDone }: { campaign: ShownCampaign; onDone: () => void }) {
  const { id, version } = campaign
  const rename = (name: string) => changeCampaign(id, { version, name })
  return <RenameForm words={words} name={campaign.name} rename={rename} onDone={onDone} />
}
