import { read } from '../../data/queries.ts'

/** When a try is due and nothing was heard of it, it is looked for this often. */
const overdueMs = 1_500

/** The receiver and its health. While the time of the next try has passed, it is fetched until something came of it. */
export const webhookQuery = {
  ...read('GET /api/webhook'),
  refetchInterval: ({ state }: { state: { data?: { webhook: { probeAt: string | null } | null } | undefined } }) => {
    const probeAt = state.data?.webhook?.probeAt
    if (probeAt == null) return false as const
    return Math.max(overdueMs, Date.parse(probeAt) - Date.now() + 300)
  },
}
