import { useQuery } from '@tanstack/react-query'
import { channelQuery, useChannelsRefresh } from '../data/queries.ts'
import { progressOf } from './progress.ts'

/** How often it is looked for by itself while steps are open, for the time without a stream. */
const lookMs = 3_000

/** A channel that is being connected, once it is. */
export function useConnecting(channelId: string | undefined) {
  useChannelsRefresh()
  return useQuery({
    ...channelQuery(channelId ?? ''),
    enabled: channelId !== undefined,
    refetchInterval: ({ state }) => {
      const { message, receiving } = progressOf(state.data)
      return message && receiving ? false : lookMs
    },
  })
}
