import { queryClient, read } from '../../data/queries.ts'
import { useRefresh } from '../../data/use-refresh.ts'

export const channelsQuery = read('GET /api/channels')

export function channelQuery(channelId: string) {
  return read('GET /api/channels/:channelId', { params: { channelId } })
}

/** What shows channels, by its routes. */
const routes = ['GET /api/channels', 'GET /api/channels/:channelId']

/** Fetches channels anew when one changes, or a message comes or goes. */
export function useChannelsRefresh(): void {
  useRefresh(['channels', 'webhook', 'conversation'], routes)
}

/** After a change that was made here. */
export async function refreshChannels(): Promise<void> {
  const shown = [...routes, 'GET /api/counts', 'GET /api/first-run']
  await Promise.all(shown.map((route) => queryClient.invalidateQueries({ queryKey: [route] })))
}
