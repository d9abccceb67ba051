import { useMutation } from '@tanstack/react-query'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { call } from '../../data/api.ts'
import { queryClient, read } from '../../data/queries.ts'
import { sayError } from '../../ui/error-state.tsx'
import { showToast } from '../../ui/toast.ts'

/** Makes somebody an owner or a member, or lets a member manage; a refusal is told in its own words. */
export function useSetRole() {
  return useMutation({
    mutationFn: ({ userId, ...body }: { userId: string; isOwner?: boolean; isManager?: boolean }) =>
      call('PATCH /api/team/members/:userId', { params: { userId }, body }),
    onSuccess: (team) => {
      queryClient.setQueryData(read('GET /api/team').queryKey, team)
      void queryClient.invalidateQueries({ queryKey: ['GET /api/session'] })
    },
    onError: (error) => showToast({ text: sayError(error).title, icon: TriangleAlert }),
  })
}
