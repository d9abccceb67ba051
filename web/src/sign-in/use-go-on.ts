import type { Me } from '@patchbay/contract/app/session.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { read } from '../data/queries.ts'
import { whySignedOut } from './why-signed-out.ts'

/** Leads into the app, as who has just signed in; of whoever was here before nothing is left. */
export function useGoOn(href = '/') {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  return async (me: Me) => {
    whySignedOut.set(null)
    queryClient.clear()
    queryClient.setQueryData(read('GET /api/session').queryKey, me)
    await navigate({ href, replace: true })
  }
}
