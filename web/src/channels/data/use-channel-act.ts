import { useMutation } from '@tanstack/react-query'
import { call } from '../../data/api.ts'
import { sayError } from '../../ui/error-state.tsx'
import { showToast } from '../../ui/toast.ts'
import { refreshChannels } from './queries.ts'

export type ChannelAct = 'check' | 'take over' | 'pause' | 'resume'

/** What an owner does with a channel by one click. */
export function useChannelAct(channelId: string) {
  const params = { channelId }
  return useMutation({
    mutationFn: (act: ChannelAct) =>
      act === 'check' || act === 'take over'
        ? call('POST /api/channels/:channelId/check', { params, body: { takesOver: act === 'take over' } })
        : call(`POST /api/channels/:channelId/${act}`, { params }),
    onSuccess: refreshChannels,
    onError: (error) => showToast({ text: sayError(error).title }),
  })
}
