import type { CampaignChange, ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import { useQuery } from '@tanstack/react-query'
import { call } from '../data/api.ts'
import { queryClient, read } from '../data/queries.ts'
import { useRefresh } from '../data/use-refresh.ts'

const one = (campaignId: string) => read('GET /api/campaigns/:campaignId', { params: { campaignId } })

export function useCampaign(campaignId: string) {
  useRefresh(
    ['campaigns'],
    [
      'GET /api/campaigns',
      'GET /api/campaigns/:campaignId',
      'GET /api/campaigns/:campaignId/entries',
      'GET /api/campaigns/:campaignId/unanswered',
    ],
  )
  return useQuery(one(campaignId))
}

/** Saves a change that was made to a version; the server refuses it when somebody else has changed the campaign. */
export async function changeCampaign(campaignId: string, body: CampaignChange): Promise<ShownCampaign> {
  const campaign = await call('PATCH /api/campaigns/:campaignId', { params: { campaignId }, body })
  keepCampaign(campaign)
  return campaign
}

export function keepCampaign(campaign: ShownCampaign): void {
  queryClient.setQueryData(one(campaign.id).queryKey, campaign)
  void queryClient.invalidateQueries({ queryKey: ['GET /api/campaigns'] })
}

/** The campaign as it is now on the server. */
export function fetchCampaign(campaignId: string): Promise<ShownCampaign> {
  return queryClient.fetchQuery({ ...one(campaignId), staleTime: 0 })
}
