import type { CampaignSummary } from '@patchbay/contract/app/campaigns.ts'
import { StatusDot } from '../ui/status-dot.tsx'
import { Tag } from '../ui/tag.tsx'
import { campaignWords as words } from './words.ts'

/** Tags that say whether a campaign answers, and whether it is the default. */
export function StatusTags({ campaign: { status, isDefault } }: { campaign: CampaignSummary }) {
  const isLive = status === 'live'
  return (
    <>
      <Tag tone={isLive ? 'ok' : status === 'paused' ? 'wait' : 'neutral'}>
        <StatusDot state={isLive ? 'ok' : status === 'paused' ? 'wait' : 'off'} />
        {words.status[status]}
      </Tag>
      {isDefault && <Tag tone="line">{words.isDefault}</Tag>}
    </>
  )
}

/** The beginning and the end of an id. */
export const shortId = (id: string) => `${id.slice(0, 12)}…${id.slice(-4)}`
