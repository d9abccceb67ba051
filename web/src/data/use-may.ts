import { useQuery } from '@tanstack/react-query'
import { read } from './queries.ts'

/**
 * What the user may do here beyond what every member may; the server refuses the rest. `own`: what is for owners, and for an
 * agency that visits; `ownAtHome`: what is for owners alone.
 */
export function useMay(): { manage: boolean; own: boolean; ownAtHome: boolean } {
  const me = useQuery(read('GET /api/session')).data
  const own = me?.user.isOwner ?? false
  return { manage: me?.user.mayManage ?? false, own, ownAtHome: own && !me?.visiting }
}
