import { useQuery } from '@tanstack/react-query'
import { read } from '../data/queries.ts'

/** Whether this is an owner of an agency, at home: only they see its sub-accounts. */
export function useIsAgency(): boolean {
  const { data: me } = useQuery(read('GET /api/session'))
  return me !== undefined && me.account.kind === 'agency' && me.user.isOwner && me.visiting === null
}
